import { parseBasicCredentials } from './user-auth.service.js';

describe('basic credentials', () => {
  // The examples of RFC 7617 §2 and §2.1, the latter with a pound sign in UTF-8.
  it.each([
    ['QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'Aladdin', 'open sesame'],
    ['dGVzdDoxMjPCow==', 'test', '123£'],
    [Buffer.from('a:b:c').toString('base64'), 'a', 'b:c'],
    [Buffer.from(':').toString('base64'), '', ''],
  ])('are parsed from %s', (encoded, username, password) => {
    for (const scheme of ['Basic ', 'basic  ']) {
      expect(parseBasicCredentials(scheme + encoded)).toEqual({ username, password });
    }
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Basic '],
    ['another scheme', 'Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['no base64', 'Basic Aladdin:open sesame'],
    ['no colon', `Basic ${Buffer.from('Aladdin').toString('base64')}`],
    ['a long user name', `Basic ${Buffer.from(`${'a'.repeat(129)}:b`).toString('base64')}`],
    ['no UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xa3]).toString('base64')}`],
  ])('are undefined for %s', (_name, header) => {
    expect(parseBasicCredentials(header)).toBeUndefined();
  });
});
