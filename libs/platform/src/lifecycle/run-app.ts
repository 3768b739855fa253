import 'reflect-metadata';
import { withTimeout } from '@ssb/net';
import type { Tracing } from '../tracing/start-tracing.js';
import { standardError } from '../cli/output.js';
import { createLogger, type Logger } from '../logging/logger.js';
import { startAppTracing } from '../observability/app-tracing.js';
import { readSettings, type SettingsOf } from '../settings/settings.js';
import { buildApp, type AppOptions, type AppSettings, type BuiltApp } from './build-app.js';
import { describeStartFailure, formatStartFailure } from './start-failure.js';

/**
 * Runs an app as a process: settings → logger → Nest on Fastify → listen. A failed start ends with sentences on the standard error and exit
 * status 78 for a wrong configuration, else 1. It shuts down gracefully on SIGTERM, on SIGINT, or when a
 * parent with an IPC channel ends.
 */
export async function runApp<D extends AppSettings>(options: AppOptions<D>): Promise<void> {
  const settings = readSettingsOrExit(options);
  const log = createLogger({ name: options.name, level: settings.LOG_LEVEL, format: settings.LOG_FORMAT });
  exitOnUncaughtError(log);
  let app: BuiltApp | undefined;
  try {
    const tracing = await startAppTracing(options.name, settings, log);
    app = await buildApp(options, settings, log);
    shutDownOnSignal(app, tracing, log, settings.SHUTDOWN_TIMEOUT_MS);
    const { urls, managementUrl } = await app.listen();
    log.info({ step: 'listening', urls, managementUrl }, 'listening');
    // Ignores the failure to reach a parent that has ended: its end shuts the app down anyway.
    process.send?.({ type: 'listening', urls, managementUrl }, undefined, undefined, () => undefined);
  } catch (error) {
    await closeAfterFailedStart(app, log);
    exitWithReason(options.name, error, settings);
    log.fatal({ err: error }, 'start failed');
    process.exit(1);
  }
}

/** Maximum duration of the shutdown after a failed start. */
const CLOSE_TIMEOUT_MS = 5_000;

/** An app that was built holds leases and connections already, also when it cannot listen. */
async function closeAfterFailedStart(app: BuiltApp | undefined, log: Logger): Promise<void> {
  if (app === undefined) return;
  try {
    await withTimeout(app.close(), CLOSE_TIMEOUT_MS);
  } catch (err) {
    log.warn({ err }, 'shutdown failed');
  }
}

function readSettingsOrExit<D extends AppSettings>({ name, definition }: AppOptions<D>): SettingsOf<D> {
  try {
    return readSettings(definition, process.env);
  } catch (error) {
    exitWithReason(name, error);
    throw error;
  }
}

/** Ends the process with sentences for the operator. Returns when the error is unexpected. */
function exitWithReason(app: string, error: unknown, settings?: Readonly<Record<string, unknown>>): void {
  const failure = describeStartFailure(error, settings);
  if (failure === undefined) return;
  standardError.write(formatStartFailure(app, failure));
  process.exit(failure.exitStatus);
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

/** Time to export the remaining spans. */
const TRACES_TIMEOUT_MS = 3_000;

/** The servers of a parent that was killed end too, so a longer drain would only hold the ports. */
const ORPHAN_TIMEOUT_MS = 3_000;

/** Shuts the app down gracefully. After the timeout the process ends anyway, with exit status 1. */
function shutDownOnSignal(
  app: BuiltApp,
  tracing: Tracing | undefined,
  log: Logger,
  maxTimeoutMs: number,
): void {
  let stopping = false;
  const shutDown = async (reason: string, timeoutMs = maxTimeoutMs): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ step: 'stopping', reason }, 'stopping');
    const deadline = Date.now() + timeoutMs;
    const timer = setTimeout(() => {
      log.error({ timeoutMs }, 'shutdown timed out');
      process.exit(1);
    }, timeoutMs);
    try {
      await app.close();
      clearTimeout(timer);
      // The app has stopped in time, so a collector that does not respond must not make this a failure.
      await tracing?.stop(Math.min(TRACES_TIMEOUT_MS, Math.max(0, deadline - Date.now())));
      log.info({ step: 'stopped' }, 'stopped');
      process.exit(0);
    } catch (error) {
      log.error({ err: error }, 'shutdown failed');
      process.exit(1);
    }
  };
  const onParentEnd = (): void =>
    void shutDown('the parent process ended', Math.min(maxTimeoutMs, ORPHAN_TIMEOUT_MS));
  process.on('SIGTERM', () => void shutDown('SIGTERM'));
  process.on('SIGINT', () => void shutDown('SIGINT'));
  process.on('disconnect', onParentEnd);
  // The parent may have ended before this listener; without a channel `connected` is undefined.
  if (process.connected === false) onParentEnd();
}
