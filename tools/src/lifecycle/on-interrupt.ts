import { prepareCommand, standardError } from '@ssb/platform';

/** Ctrl-C, kill, and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `stop` and ends the process with `status` on a signal, or when the reader of its output ends (`npm start | head`).
 * @param stop may be called more than once
 * @param needsOutput false: an output that fails otherwise, as on a full disk, does not end the process
 */
export function onInterrupt(stop: () => Promise<void>, status: number, needsOutput = true): void {
  const end = (): void =>
    void stop().then(
      () => process.exit(status),
      (error: unknown) => {
        standardError.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  for (const signal of SIGNALS) process.on(signal, end);
  prepareCommand(end, needsOutput ? undefined : () => undefined);
}
