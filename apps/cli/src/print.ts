import { standardOutput } from '@ssb/platform/cli';

/** Writes a result as JSON, or as the text that `render` makes of it. */
export function print<T>(value: T, json: boolean, render: (value: T) => string): void {
  if (json) standardOutput.writeJson(value);
  else standardOutput.write(`${render(value)}\n`);
}
