import { describe, expect, it } from '@jest/globals';
import { hasBasicCredentials } from './basic-credentials.js';

describe('basic credentials', () => {
  // "Aladdin:open sesame" and its header are the example of RFC 7617 §2; the second is that of §2.1 with a pound sign in UTF-8.
  it.each([
    ['QWxhZGRpbjpvcGVuIHNlc2FtZQ==', 'Aladdin', 'open sesame'],
    ['dGVzdDoxMjPCow==', 'test', '123£'],
  ])('accepts the standard’s example %s', (encoded, username, password) => {
    expect(hasBasicCredentials(`Basic ${encoded}`, username, password)).toBe(true);
    expect(hasBasicCredentials(`basic  ${encoded}`, username, password)).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['an empty header', ''],
    ['the scheme alone', 'Basic '],
    ['another scheme', 'Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['no base64', 'Basic Aladdin:open sesame'],
    ['another password', `Basic ${Buffer.from('Aladdin:open').toString('base64')}`],
    ['another user', `Basic ${Buffer.from('aladdin:open sesame').toString('base64')}`],
    ['a prefix', `Basic ${Buffer.from('Aladdin:open sesam').toString('base64')}`],
    ['more', `Basic ${Buffer.from('Aladdin:open sesame!').toString('base64')}`],
  ])('refuses %s', (_name, header) => {
    expect(hasBasicCredentials(header, 'Aladdin', 'open sesame')).toBe(false);
  });
});
