import { TextOutput } from '@ssb/platform';
import type { Writable } from 'node:stream';

interface Output extends Pick<Writable, 'write'> {
  readonly isTTY?: boolean;
}

/** Prints to an output that may be a file on a full disk: says afterwards how much was left out. The stream needs a listener for errors. */
export function createPrinter(output: Output = process.stdout): TextOutput {
  let leftOut = 0;
  function write(text: string): void {
    output.write(text, (error) => {
      if (error) {
        leftOut += 1;
        return;
      }
      const count = leftOut;
      leftOut = 0;
      if (count > 0) write(`  This output could not be written ${count} times, and that part is left out.\n`);
    });
  }
  return new TextOutput(() => ({ write, isTTY: output.isTTY }));
}
