import { readDateHeader } from './clock-reading.js';

const TIMES = { requestedAt: 784_111_770_000, respondedAt: 784_111_770_250 };
/** RFC 9110 §5.6.7; its moment as `date -u -d '1994-11-06 08:49:37' +%s` gives it. */
const DATE = 'Sun, 06 Nov 1994 08:49:37 GMT';

describe('readDateHeader', () => {
  it('reads the clock of the server to the second', () => {
    expect(readDateHeader({ date: DATE }, TIMES)).toEqual({
      ...TIMES,
      remoteTime: 784_111_777_000,
      resolutionMs: 1_000,
    });
  });

  it.each([
    ['no date', {}],
    ['two dates', { date: [DATE, DATE] }],
    ['a malformed date', { date: '1994-11-06T08:49:37Z' }],
    ['a response that a cache kept', { date: DATE, age: '60' }],
  ])('returns nothing for %s', (_, headers) => {
    expect(readDateHeader(headers, TIMES)).toBeUndefined();
  });
});
