import { askWindow, readDay } from './day-window.js';

const ask = (from: unknown, to: unknown) => askWindow({ from, to }, ['from', 'to']);

it('understands both forms of a day', () => {
  expect(ask('2026-03-01', '2026-03-01T23:59:59')).toEqual({
    ok: true,
    window: { from: '2026-03-01', to: '2026-03-01' },
  });
});

it.each([
  ['2026-03-01T23:00:00', '2026-03-01'],
  ['2026-03-01', '2026-03-01T00:00:00'],
  ['2026-03-01T10:00:00', '2026-03-01T10:00:00'],
])('takes a day without a time for the whole of it: %s to %s', (from, to) => {
  expect(ask(from, to)).toEqual({ ok: true, window: { from: '2026-03-01', to: '2026-03-01' } });
});

it.each([
  [undefined, '2026-03-01', 'parameter-missing', 'from'],
  ['2026-03-01', undefined, 'parameter-missing', 'to'],
  [['2026-03-01', '2026-03-01'], '2026-03-01', 'parameter-repeated', 'from'],
  ['', '2026-03-01', 'impossible-date', 'from'],
  ['2026-03-01', '2026-04-31', 'impossible-date', 'to'],
  ['2026-03-02', '2026-03-01', 'window-upside-down', 'to'],
  ['2026-03-01T23:00:00', '2026-03-01T01:00:00', 'window-upside-down', 'to'],
  ['2026-03-02T01:00:00', '2026-03-01', 'window-upside-down', 'to'],
])('refuses %s to %s: %s', (from, to, reason, parameter) => {
  expect(ask(from, to)).toMatchObject({ ok: false, reason, parameter });
});

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
