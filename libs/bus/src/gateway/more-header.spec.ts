import { MORE, readMoreHeader } from './more-header.js';

describe('the header that tells of further messages', () => {
  // Written by hand after RFC 9651 §3.3.6 and §3.1.2.
  it.each([MORE, ' ?1 ', '?1;bytes=7'])('is found in %j', (header) => {
    expect(readMoreHeader(header)).toBe(true);
  });

  it.each([undefined, '', '?0', '1', 'true', '?10', ['?1', '?1']])('is not found in %j', (header) => {
    expect(readMoreHeader(header)).toBe(false);
  });
});
