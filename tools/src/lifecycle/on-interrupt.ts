import { whenOutputCloses } from '@ssb/platform';

/** Ctrl-C, a polite kill, and a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends the process with `status` after `stop`, when somebody asks it to, or when nobody reads its output any more (`npm start | head`).
 * @param stop harmless when repeated
 */
export function whenInterrupted(stop: () => Promise<void>, status: number): void {
  const end = (): void =>
    void stop().then(
      () => process.exit(status),
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
      },
    );
  for (const signal of SIGNALS) process.on(signal, end);
  whenOutputCloses(end);
}
