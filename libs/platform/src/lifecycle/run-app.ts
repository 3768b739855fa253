import 'reflect-metadata';
import { createLogger, type Logger } from '../logging/logger.js';
import { readSettings, SettingsError, type SettingsOf } from '../settings/settings.js';
import { buildApp, type AppOptions, type AppSettings, type BuiltApp } from './build-app.js';

/** Exit status for a wrong configuration (`EX_CONFIG` of sysexits.h): a restart does not help. */
const EXIT_CONFIGURATION = 78;

/**
 * Runs an app as a process: settings → logger → Nest on Fastify → listen. It shuts down gracefully on SIGTERM, on SIGINT, or when a
 * parent with an IPC channel ends.
 */
export async function runApp<D extends AppSettings>(options: AppOptions<D>): Promise<void> {
  const settings = readSettingsOrExit(options);
  const log = createLogger({ name: options.name, level: settings.LOG_LEVEL, format: settings.LOG_FORMAT });
  exitOnUncaughtError(log);
  try {
    const app = await buildApp(options, settings, log);
    shutDownOnSignal(app, log, settings.SHUTDOWN_TIMEOUT_MS);
    const urls = await app.listen();
    log.info({ step: 'listening', urls }, 'listening');
    // Ignores the failure to reach a parent that has ended: its end shuts the app down anyway.
    process.send?.({ type: 'listening', urls }, undefined, undefined, () => undefined);
  } catch (error) {
    log.fatal({ err: error }, 'start failed');
    process.exit(1);
  }
}

function readSettingsOrExit<D extends AppSettings>({ name, definition }: AppOptions<D>): SettingsOf<D> {
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

/** An uncaught error leaves the process in an unknown state, so it ends and its supervisor restarts it. */
function exitOnUncaughtError(log: Logger): void {
  const exit = (error: unknown): void => {
    log.fatal({ err: error }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}

/** Shuts the app down gracefully. After `timeoutMs` the process ends anyway, with exit status 1. */
function shutDownOnSignal(app: BuiltApp, log: Logger, timeoutMs: number): void {
  let stopping = false;
  const shutDown = async (reason: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ step: 'stopping', reason }, 'stopping');
    const timer = setTimeout(() => {
      log.error({ timeoutMs }, 'shutdown timed out');
      process.exit(1);
    }, timeoutMs);
    try {
      await app.close();
      clearTimeout(timer);
      log.info({ step: 'stopped' }, 'stopped');
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  };
  const onParentEnd = (): void => void shutDown('the parent process ended');
  process.on('SIGTERM', () => void shutDown('SIGTERM'));
  process.on('SIGINT', () => void shutDown('SIGINT'));
  process.on('disconnect', onParentEnd);
  // The parent may have ended before this listener; without a channel `connected` is undefined.
  if (process.connected === false) onParentEnd();
}
