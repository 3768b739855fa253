import { standardError } from '@ssb/platform/cli';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Says at the end by Ctrl-C or SIGTERM what continues without the command.
 * @returns a function after which nothing is said
 */
export function explainInterruption(explain: () => string): () => void {
  const write = (): void => standardError.writeLine(explain());
  // Before those of main.ts, which end the process.
  for (const signal of SIGNALS) process.prependOnceListener(signal, write);
  return () => {
    for (const signal of SIGNALS) process.off(signal, write);
  };
}
