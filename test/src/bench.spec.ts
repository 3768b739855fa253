import { runCommand, waitForExit } from './harness/command.js';

interface Printed {
  readonly section: string;
  readonly figures: Readonly<Record<string, unknown>>;
}

// test/src/bridge/bench.suite.ts measures the pipeline. The other sections start systems of their own, which takes too long for a test.
it('the benchmark prints the figures of the selected section as JSON', async () => {
  const options = ['--only', 'signatures', '--requests', '20', '--runs', '1', '--json'];
  const bench = runCommand('test/dist/bench.js', options);
  expect(await waitForExit(bench)).toBe(0);
  const { section, figures } = JSON.parse(bench.output().replace(/^[^{]*/, '')) as Printed;
  expect(section).toBe('signatures');
  expect(figures['payload signed']).toEqual([expect.any(Number)]);
});
