/** Reports in one sentence why a command cannot do its work. The exit status becomes 1. */
export function fail(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
