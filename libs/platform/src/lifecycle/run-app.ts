import 'reflect-metadata';
import type { Logger } from '../logging/logger.js';
import { readSettings, SettingsError } from '../settings/read.js';
import type { SettingsOf } from '../settings/define.js';
import { createLogger } from '../logging/logger.js';
import { buildApp, type AppOptions, type AppSettings, type BuiltApp } from './build-app.js';
import { stopWhenAsked } from './stop-when-asked.js';

/** Exit status for a wrong configuration (`EX_CONFIG` of sysexits.h): restarting will not help. */
const EXIT_CONFIGURATION = 78;

/**
 * Runs an app as a process: settings → logger → Nest on Fastify → listen → ready line; ends gracefully on SIGTERM, SIGINT, or
 * when a parent that opened an IPC channel goes away.
 */
export async function runApp<D extends AppSettings>(options: AppOptions<D>): Promise<void> {
  const settings = settingsOrExit(options);
  const log = createLogger({ name: options.name, level: settings.LOG_LEVEL, format: settings.LOG_FORMAT });
  crashOnTheUnexpected(log);
  try {
    const app = await buildApp(options, settings, log);
    stopWhenAsked(app, log, settings.SHUTDOWN_TIMEOUT_MS);
    await start(app, log);
  } catch (error) {
    log.fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

async function start(app: BuiltApp, log: Logger): Promise<void> {
  const urls = await app.listen();
  log.info({ step: 'listening', urls }, `listening on ${urls.join(' and ')}`);
  // A parent that has gone is no failure of ours: its going ends us in order.
  process.send?.({ type: 'listening', urls }, undefined, undefined, () => undefined);
}

function settingsOrExit<D extends AppSettings>({ name, definition }: AppOptions<D>): SettingsOf<D> {
  try {
    return readSettings(definition, process.env);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${name} cannot start: its settings are wrong.\n`);
    for (const problem of error.problems) process.stderr.write(`  ${problem}\n`);
    process.stderr.write('All settings are listed in docs/settings.md.\n');
    process.exit(EXIT_CONFIGURATION);
  }
}

/** A failure nobody handled leaves the process in an unknown state: say so and let the supervisor start afresh. */
function crashOnTheUnexpected(log: Logger): void {
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'ended by an unexpected failure');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
