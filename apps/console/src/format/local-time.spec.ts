import { toMarketInstant } from './local-time.js';

it.each([
  ['2026-12-01T10:00', '2026-12-01T10:00:00+08:00'],
  ['2026-12-01T10:00:30', '2026-12-01T10:00:00+08:00'],
  ['', undefined],
  ['tomorrow', undefined],
])('reads the field %p as market time', (text, time) => {
  expect(toMarketInstant(text)).toBe(time);
});
