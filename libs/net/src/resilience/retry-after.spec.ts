import { parseHttpDate, parseRetryAfter } from './retry-after.js';

/** The moment of RFC 9110 §5.6.7's examples, as `date -u -d '1994-11-06 08:49:37' +%s` gives it. */
const EXAMPLE = 784_111_777_000;
const TEN_BEFORE = EXAMPLE - 10_000;

describe('Retry-After', () => {
  it.each<[string | string[] | undefined, number | undefined]>([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['0', 0],
    ['99999999999999999999', 1_000_000_000_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 10_000],
    ['Sun, 06 Nov 1994 08:49:17 GMT', 0],
    ['1.5', undefined],
    ['-5', undefined],
    ['+5', undefined],
    ['1e3', undefined],
    ['0x10', undefined],
    ['', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['1994-11-06T08:49:37Z', undefined],
    ['Nov 1994', undefined],
    [['5', '6'], undefined],
    [undefined, undefined],
  ])('%p', (header, expected) => {
    expect(parseRetryAfter(header, TEN_BEFORE)).toBe(expected);
  });
});

describe('an HTTP date', () => {
  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'in the form of %s',
    (text) => {
      expect(parseHttpDate(text, TEN_BEFORE)).toBe(EXAMPLE);
    },
  );

  it('with a year of two digits is at most fifty years ahead', () => {
    const now = Date.UTC(2026, 10, 21);
    expect(parseHttpDate('Friday, 01-Jan-77 00:00:00 GMT', now)).toBeUndefined();
    expect(parseHttpDate('Saturday, 01-Jan-77 00:00:00 GMT', now)).toBe(Date.UTC(1977, 0, 1));
    expect(parseHttpDate('Wednesday, 01-Jan-76 00:00:00 GMT', now)).toBe(Date.UTC(2076, 0, 1));
  });

  it.each([
    ['another zone', 'Sun, 06 Nov 1994 08:49:37 +0000'],
    ['no zone', 'Sun, 06 Nov 1994 08:49:37'],
    ['one digit of a day', 'Sun, 6 Nov 1994 08:49:37 GMT'],
    ['lower case', 'sun, 06 nov 1994 08:49:37 gmt'],
    ['an impossible day', 'Wed, 30 Feb 1994 08:49:37 GMT'],
    ['a wrong day of the week', 'Mon, 06 Nov 1994 08:49:37 GMT'],
    ['an impossible time', 'Sun, 06 Nov 1994 24:49:37 GMT'],
  ])('with %s is refused', (_, text) => {
    expect(parseHttpDate(text, TEN_BEFORE)).toBeUndefined();
  });
});
