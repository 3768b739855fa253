import { standardError } from '@ssb/platform/cli';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * When Ctrl-C or SIGTERM ends the command, writes what continues without it.
 * @returns a function that ends this
 */
export function explainInterruption(explain: () => string): () => void {
  const write = (): void => standardError.writeLine(explain());
  // Before those of main.ts, which end the process.
  for (const signal of SIGNALS) process.prependOnceListener(signal, write);
  return () => {
    for (const signal of SIGNALS) process.off(signal, write);
  };
}
