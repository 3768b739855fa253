import { readGapHeader, writeGapHeader } from './gap-header.js';

describe('the header that tells of a gap', () => {
  // Written by hand after RFC 9651 §3.2 and §3.3.3.
  it.each([
    ['plain ids', { after: '17-0-a1', upTo: '19-3-a1' }, 'after="17-0-a1", up-to="19-3-a1"'],
    ['ids to escape', { after: 'a"b', upTo: String.raw`c\d` }, String.raw`after="a\"b", up-to="c\\d"`],
    ['empty ids', { after: '', upTo: '' }, 'after="", up-to=""'],
  ])('holds %s', (_name, gap, header) => {
    expect(writeGapHeader(gap)).toBe(header);
    expect(readGapHeader(header)).toEqual(gap);
  });

  it.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['several', ['after="a", up-to="b"']],
    ['one half', 'after="a"'],
    ['no quotes', 'after=a, up-to=b'],
    ['a quote that is not escaped', 'after="a"b", up-to="c"'],
    ['more behind it', 'after="a", up-to="b", by="c"'],
  ])('is not found in %s', (_name, header) => {
    expect(readGapHeader(header)).toBeUndefined();
  });

  it.each(['a\r\nset-cookie: b', 'ä'])('takes no id that a header cannot hold: %j', (after) => {
    expect(() => writeGapHeader({ after, upTo: 'b' })).toThrow(RangeError);
  });
});
