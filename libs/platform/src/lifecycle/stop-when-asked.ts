import type { Logger } from '../logging/logger.js';
import type { BuiltApp } from './build-app.js';

/**
 * Ends the process gracefully on SIGTERM, SIGINT, or when the IPC channel to a parent closes (so that nothing stays behind when
 * the parent is killed). Bounded: what has not closed within `timeoutMs` is cut off with exit status 1.
 */
export function stopWhenAsked(app: BuiltApp, log: Logger, timeoutMs: number): void {
  let stopping = false;
  const stop = (reason: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ step: 'stopping', reason }, `stopping: ${reason}`);
    const deadline = setTimeout(() => {
      log.error({ timeoutMs }, 'the graceful shutdown took too long; ending now');
      process.exit(1);
    }, timeoutMs);
    app.close().then(
      () => {
        clearTimeout(deadline);
        log.info({ step: 'stopped' }, 'stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'the shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('the parent process went away'));
  // It may have gone while we were being built, before anybody listened; without a channel this is undefined.
  if (process.connected === false) stop('the parent process went away');
}
