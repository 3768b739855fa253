import { InvalidMarketTimeError, parseMarketDate, parseMarketDateTime, toInstant } from './market-time.js';

describe('market date-times', () => {
  it.each(['2026-03-05T00:00:00', '2024-02-29T23:59:59', '2026-03-05T10:00:00.123'])('accepts %s', (text) => {
    expect(parseMarketDateTime(text)).toBe(text);
  });

  it.each([
    '2026-02-29T00:00:00',
    '1900-02-29T00:00:00',
    '2026-01-01T24:00:00',
    '2026-01-01T00:00:60',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+08:00',
    '2026-01-01 00:00:00',
    '2026-01-01T00:00',
    '2026-01-01',
    '',
  ])('refuses %s', (text) => {
    expect(() => parseMarketDateTime(text)).toThrow(InvalidMarketTimeError);
  });

  it.each(['2026-02-30', '2026-2-3', '20260203', '2026-02-03T00:00:00'])('refuses the date %s', (text) => {
    expect(() => parseMarketDate(text)).toThrow(InvalidMarketTimeError);
  });

  it('is eight hours ahead of UTC, summer and winter', () => {
    expect(toInstant(parseMarketDateTime('2026-01-01T08:00:00')).toISOString()).toBe(
      '2026-01-01T00:00:00.000Z',
    );
    expect(toInstant(parseMarketDateTime('2026-07-01T07:59:59.5')).toISOString()).toBe(
      '2026-06-30T23:59:59.500Z',
    );
    expect(toInstant(parseMarketDate('2026-07-01')).toISOString()).toBe('2026-06-30T16:00:00.000Z');
  });
});
