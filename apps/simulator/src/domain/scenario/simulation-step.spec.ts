import { parseMarketDate } from '@ssb/market';
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

it('tells calculations of one second apart by trading day, then by a millisecond', () => {
  const stamps = new StampGenerator(() => at(0));
  const [yesterday, today] = ['2026-03-11', '2026-03-12'].map(parseMarketDate);
  const repeat = (day = today) => stamps.sameSecond('A', day).slice(17);
  // The first one has none before it.
  expect(repeat(yesterday)).toBe('00');
  expect([repeat(), repeat(), repeat(yesterday)]).toEqual(['00', '00.001', '00.002']);
  expect(stamps.nextCalculation('A').slice(17)).toBe('01');
  // Without a trading day, that of the calculation.
  expect(stamps.sameSecond('A').slice(17)).toBe('01.001');
});
