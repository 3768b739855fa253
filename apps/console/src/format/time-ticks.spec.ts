import { timeTicks } from './time-ticks.js';

const ticksOf = (since: string, until: string) =>
  timeTicks(Date.parse(since), Date.parse(until), 6).map(({ text }) => text);

it.each([
  ['2026-11-30T15:52:10Z', '2026-11-30T16:12:10Z', ['23:55', '1 Dec', '00:05', '00:10']],
  ['2026-11-30T05:00:00Z', '2026-12-01T05:00:00Z', ['18:00', '1 Dec', '06:00', '12:00']],
  ['2026-11-30T05:00:00Z', '2026-12-03T05:00:00Z', ['1 Dec', '12:00', '2 Dec', '12:00', '3 Dec', '12:00']],
])('has round times of the market from %s to %s', (since, until, texts) => {
  expect(ticksOf(since, until)).toEqual(texts);
});

it('has days for long times', () => {
  const ticks = ticksOf('2026-11-01T00:00:00Z', '2026-12-02T00:00:00Z');
  expect(ticks.length).toBeLessThanOrEqual(6);
  for (const text of ticks) expect(text).toMatch(/^\d+ (Nov|Dec)$/);
});
