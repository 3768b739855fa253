import { MORE_HEADER_TRUE, readGapHeader, readMoreHeader, writeGapHeader } from './response-headers.js';

describe('the gap header', () => {
  // Expected values by hand from RFC 9651 §3.2 and §3.3.3.
  it.each([
    ['plain ids', { after: '17-0-a1', upTo: '19-3-a1' }, 'after="17-0-a1", up-to="19-3-a1"'],
    ['ids to escape', { after: 'a"b', upTo: String.raw`c\d` }, String.raw`after="a\"b", up-to="c\\d"`],
    ['empty ids', { after: '', upTo: '' }, 'after="", up-to=""'],
  ])('is written and read with %s', (_name, gap, header) => {
    expect(writeGapHeader(gap)).toBe(header);
    expect(readGapHeader(header)).toEqual(gap);
  });

  it.each([
    ['no header', undefined],
    ['an empty text', ''],
    ['several headers', ['after="a", up-to="b"']],
    ['one half', 'after="a"'],
    ['no quotes', 'after=a, up-to=b'],
    ['a quote that is not escaped', 'after="a"b", up-to="c"'],
    ['another member', 'after="a", up-to="b", by="c"'],
  ])('is not read from %s', (_name, header) => {
    expect(readGapHeader(header)).toBeUndefined();
  });

  it.each(['a\r\nset-cookie: b', 'ä'])('cannot be written with the id %j', (after) => {
    expect(() => writeGapHeader({ after, upTo: 'b' })).toThrow(RangeError);
  });
});

describe('the header for more messages', () => {
  // Expected values by hand from RFC 9651 §3.3.6 and §3.1.2.
  it.each([MORE_HEADER_TRUE, ' ?1 ', '?1;bytes=7'])('is true for %j', (header) => {
    expect(readMoreHeader(header)).toBe(true);
  });

  it.each([undefined, '', '?0', '1', 'true', '?10', ['?1', '?1']])('is false for %j', (header) => {
    expect(readMoreHeader(header)).toBe(false);
  });
});
