import { pollAll, row } from '../../../test/support/positions.js';
import { firstDayToRead } from './first-day-to-read.js';

it.each<[string, string, string | undefined, string]>([
  ['no state', '2026-03-10T12:00:00+08:00', undefined, '2026-03-03'],
  ['a calculation of today', '2026-03-10T12:00:00+08:00', '2026-03-10T10:00:00', '2026-03-09'],
  ['a calculation of yesterday', '2026-03-10T12:00:00+08:00', '2026-03-09T00:00:00', '2026-03-08'],
  ['a calculation of tomorrow', '2026-03-10T23:59:00+08:00', '2026-03-11T00:30:00', '2026-03-09'],
  ['a calculation of the day before', '2026-03-10T12:00:00+08:00', '2026-03-08T23:59:59', '2026-03-07'],
  [
    'a calculation beyond the recovery days',
    '2026-03-10T12:00:00+08:00',
    '2026-02-20T10:00:00',
    '2026-03-03',
  ],
  // It is 31 March in UTC.
  ['a new market day and month', '2026-04-01T00:30:00+08:00', '2026-03-31T23:00:00', '2026-03-30'],
])('with %s, the first day to read is right', (_, now, calculatedAt, expected) => {
  const [polled] =
    calculatedAt === undefined
      ? []
      : pollAll([
          {
            rows: [row(calculatedAt, '300000'), row('2026-03-10T12:00:00', '1', { isForecast: true })],
            now: '2026-04-01T00:00:00',
          },
        ]);
  expect(firstDayToRead(polled?.state, new Date(now), 7)).toBe(expected);
});

it.each([
  ['incomplete', { unreadable: 1 }, '2026-03-01'],
  [
    'with a calculation of an unknown day',
    { rows: [{ ...row('10:00:00', '1'), tradingDay: undefined }] },
    '2026-03-01',
  ],
  ['complete', {}, '2026-03-08'],
])('after a response that was %s, the first day to read is right', (_, change, expected) => {
  const now = '2026-03-09T12:00:00';
  const good = row('2026-03-09T10:00:00', '300000');
  const rows = [good, ...('rows' in change ? change.rows : [])];
  const incomplete = { rows: [good], now, firstDay: '2026-03-01', unreadable: 1 };
  const states = pollAll([incomplete, { ...incomplete, unreadable: 0, ...change, rows }, { rows: [], now }]);
  const firstDay = (days: number) => firstDayToRead(states.at(-1)?.state, new Date(`${now}+08:00`), days);
  expect([firstDay(14), firstDay(2)]).toEqual([expected, expected < '2026-03-07' ? '2026-03-07' : expected]);
});

it('with no calculation, the first day to read is right', () => {
  const now = new Date('2026-03-06T12:00:00+08:00');
  expect(firstDayToRead(pollAll([{ rows: [] }])[0]?.state, now, 7)).toBe('2026-02-27');
});
