import { exitWhenOutputCloses } from '@ssb/platform';

/** Ctrl-C, kill, and a closed terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `stop` and ends the process with `status` on a signal, or when the reader of its output ends (`npm start | head`).
 * @param stop may be called more than once
 */
export function onInterrupt(stop: () => Promise<void>, status: number): void {
  const end = (): void =>
    void stop().then(
      () => process.exit(status),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  for (const signal of SIGNALS) process.on(signal, end);
  exitWhenOutputCloses(end);
}
