import { StampGenerator } from './simulation-step.js';

const at = (ms: number) => new Date(Date.UTC(2026, 2, 12, 2, 0, 0, ms));

it('gives calculations of a participant times at least a second apart, and each run a new id', () => {
  let now = at(0);
  const stamps = new StampGenerator(() => now);
  const calculations = (participant: string) => stamps.nextCalculation(participant).slice(-5);
  expect([calculations('A'), calculations('B')]).toEqual(['00:00', '00:00']);
  const ids = [stamps.nextRun().runId];
  now = at(200);
  expect([calculations('A'), calculations('A')]).toEqual(['00:01', '00:02']);
  ids.push(stamps.nextRun().runId);
  now = at(5_000);
  expect([calculations('A'), calculations('B')]).toEqual(['00:05', '00:05']);
  ids.push(stamps.nextRun().runId);
  const first = at(0).getTime() / 1_000;
  expect(ids).toEqual([first, first + 1, first + 5]);
});
