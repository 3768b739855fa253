import { SECTIONS } from './bench/sections.js';
import { type Command, runCommand, stopCommands, waitForExit, waitForOutput } from './harness/command.js';

const COUNTS = {
  runs: 1,
  samples: 2,
  burst: 5,
  calculations: 20,
  statements: 2,
  requests: 20,
  participants: 2,
  hours: 2,
  speed: 3_600,
  divisor: 1_000,
};
const OPTIONS = Object.entries(COUNTS).flatMap(([name, count]) => [`--${name}`, String(count)]);

const names = SECTIONS.map(({ name }) => name);

let bench: Command;
let ended: Promise<number | null>;

beforeAll(() => {
  bench = runCommand('test/dist/bench.js', ['--only', names.join(','), '--json', ...OPTIONS]);
  ended = waitForExit(bench);
});
afterAll(stopCommands);

it.each(names)('the section %s of the benchmark measures with the least counts', async (section) => {
  const figures = `"section": "${section}"`;
  await Promise.race([ended, waitForOutput(bench, figures, 150_000)]);
  expect(bench.output()).toContain(figures);
});

it('the benchmark ends after its sections', async () => {
  expect([await ended, bench.output()]).toEqual([0, expect.any(String)]);
});
