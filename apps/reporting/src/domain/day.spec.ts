import { readDay } from './day.js';

it.each(['2026-03-01', '2026-03-01T00:00:00', '2026-03-01T23:59:59'])('reads %s as its day', (text) => {
  expect(readDay('tradingDay', text)).toEqual({ ok: true, day: '2026-03-01' });
});

it.each([
  '2026-3-1',
  '2026-02-29',
  '0000-01-01',
  '2026-03-01T24:00:00',
  '2026-03-01T00:00',
  '2026-03-01T00:00:00Z',
  '2026-03-01T00:00:00+08:00',
  '2026-03-01T00:00:00.000',
  '2026-03-01 00:00:00',
  ' 2026-03-01',
  '20260301',
  '',
])('takes %j for no day', (text) => {
  expect(readDay('tradingDay', text)).toMatchObject({
    ok: false,
    reason: 'impossible-date',
    parameter: 'tradingDay',
  });
});
