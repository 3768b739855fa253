import {
  isDay,
  addDays,
  daysBetween,
  formatDay,
  formatDuration,
  formatTime,
  marketDayOf,
  readMarketClock,
  readOwnClock,
  toMarketDay,
} from './market-time.js';

it('reads the clock of the market', () => {
  expect(readMarketClock('2026-11-30T23:59:01Z')).toEqual({ day: 'Tue 1 Dec 2026', time: '07:59:01' });
});

it("reads the reader's own clock where it differs", () => {
  expect(readOwnClock('2026-11-30T23:59:01Z', -60)).toEqual({ day: 'Mon 30 Nov 2026', time: '22:59:01' });
  expect(readOwnClock('2026-11-30T23:59:01Z', 480)).toBeUndefined();
});

it('writes a time with its zone, and that of the reader where it differs', () => {
  expect(formatTime('2026-11-30T06:02:59Z', 60)).toBe('Mon 30 Nov 2026 14:02 AWST (07:02 here)');
  expect(formatTime('2026-11-30T20:02:00Z', 60)).toBe('Tue 1 Dec 2026 04:02 AWST (Mon 21:02 here)');
  expect(formatTime('2026-11-30T06:02:59Z', 480)).toBe('Mon 30 Nov 2026 14:02 AWST');
});

it('counts with days of the market', () => {
  expect(formatDay('2024-02-29')).toBe('Thu 29 Feb 2024');
  expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  expect(daysBetween('2026-12-31', '2027-01-02')).toBe(2);
  expect(toMarketDay(Date.parse('2026-11-30T16:00:00Z'))).toBe('2026-12-01');
});

it.each([
  [400, '0 s'],
  [59_000, '59 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [90_061_000, '1 d 1 h'],
])('shows %i ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('has the day of the market of a time, and leaves a day as it is', () => {
  expect(marketDayOf('2026-11-30T19:04:17.000Z')).toBe('2026-12-01');
  expect(marketDayOf('2026-11-30')).toBe('2026-11-30');
  expect(marketDayOf('yesterday')).toBeUndefined();
});

it('knows days of the calendar', () => {
  expect(['2024-02-29', '2026-02-29', '2026-13-01', '26-01-01', undefined].map(isDay)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
