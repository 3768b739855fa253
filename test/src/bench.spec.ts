import { SECTIONS } from './bench/sections.js';
import { runCommand, stopCommands, waitForExit } from './harness/command.js';

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

afterEach(stopCommands);

it.each(SECTIONS.map(({ name }) => name))(
  'the section %s of the benchmark measures with the least counts',
  async (section) => {
    const bench = runCommand('test/dist/bench.js', ['--only', section, '--json', ...OPTIONS]);
    expect([await waitForExit(bench), bench.output()]).toEqual([
      0,
      expect.stringContaining(`"section": "${section}"`),
    ]);
  },
  150_000,
);
