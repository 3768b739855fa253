import { parseDay, parseDayWindow } from './day-window.js';

const parse = (from: unknown, to: unknown) => parseDayWindow({ from, to }, ['from', 'to']);

it.each([
  ['2026-03-01', '2026-03-01T23:59:59'],
  ['2026-03-01T23:00:00', '2026-03-01'],
  ['2026-03-01', '2026-03-01T00:00:00'],
  ['2026-03-01T10:00:00', '2026-03-01T10:00:00'],
])('ignores times of day unless both have one and the last is earlier: %s to %s', (from, to) => {
  expect(parse(from, to)).toEqual({ ok: true, value: { from: '2026-03-01', to: '2026-03-01' } });
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
  expect(parse(from, to)).toMatchObject({ ok: false, reason, parameter });
});

it.each(['2026-03-01', '2026-03-01T00:00:00', '2026-03-01T23:59:59'])('parses %s as its day', (text) => {
  expect(parseDay('tradingDay', text)).toEqual({ ok: true, value: '2026-03-01' });
});

it('refuses any other text as a day', () => {
  const texts = [
    '2026-3-1',
    '2026-02-29',
    '0000-01-01',
    '2026-03-01T24:00:00',
    '2026-03-01T00:00',
    '20260301',
    '',
  ];
  const zoned = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00+08:00', '2026-03-01T00:00:00.000'];
  for (const text of [...texts, ...zoned, '2026-03-01 00:00:00', ' 2026-03-01'])
    expect([text, parseDay('tradingDay', text)]).toMatchObject([
      text,
      { ok: false, reason: 'impossible-date', parameter: 'tradingDay' },
    ]);
});
