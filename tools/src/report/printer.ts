import type { Writable } from 'node:stream';

/** Prints to an output that may be a file on a full disk: says afterwards how much was left out. The stream needs a listener for errors. */
export function createPrinter(output: Pick<Writable, 'write'>): (text: string) => void {
  let leftOut = 0;
  return function print(text) {
    output.write(text, (error) => {
      if (error) {
        leftOut += 1;
        return;
      }
      const count = leftOut;
      leftOut = 0;
      if (count > 0) print(`  This output could not be written ${count} times, and that part is left out.\n`);
    });
  };
}
