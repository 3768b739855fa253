import { Stamps } from './simulation-step.js';

const at = (ms: number) => new Date(Date.UTC(2026, 2, 12, 2, 0, 0, ms));

it('stamps the calculations of a participant at least a second apart, and each run with an id of its own', () => {
  let now = at(0);
  const stamps = new Stamps(() => now);
  const calculations = (participant: string) => stamps.calculation(participant).slice(-5);
  expect([calculations('A'), calculations('B')]).toEqual(['00:00', '00:00']);
  const ids = [stamps.run().runId];
  now = at(200);
  expect([calculations('A'), calculations('A')]).toEqual(['00:01', '00:02']);
  ids.push(stamps.run().runId);
  now = at(5_000);
  expect([calculations('A'), calculations('B')]).toEqual(['00:05', '00:05']);
  ids.push(stamps.run().runId);
  const first = at(0).getTime() / 1_000;
  expect(ids).toEqual([first, first + 1, first + 5]);
});
