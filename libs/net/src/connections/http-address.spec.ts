import { addressAuthorization, addressSecrets, describeHttpAddress, isHttpAddress } from './http-address.js';

const BASE = { query: false, credentials: false };
const EXACT = { query: true, credentials: true };

describe('an HTTP address', () => {
  it.each<[string, isBase: boolean, isExact: boolean]>([
    ['https://host', true, true],
    ['https://host:8443/market/v1/', true, true],
    ['http://[::1]:4001/a@b', true, true],
    ['https://host/path?team=treasury', false, true],
    ['https://host?', false, true],
    ['https://user:pass%40word@host/path', false, true],
    ['https://user@host', false, true],
    ['https://user:50%off@host', false, false],
    ['https://@host', false, false],
    ['https://host/#part', false, false],
    ['https:host', false, false],
    ['https:///path', false, false],
    ['ftp://host', false, false],
    [' https://host', false, false],
  ])('%s: base address %s, exact address %s', (text, isBase, isExact) => {
    expect([isHttpAddress(text, BASE), isHttpAddress(text, EXACT)]).toEqual([isBase, isExact]);
  });

  it.each([
    ['https://host', true],
    ['http://host', false],
    ['http://10.0.0.1', false],
    ['http://127.0.0.2:8080', true],
    ['http://[::1]', true],
    ['http://sink.localhost', true],
    ['http://localhost.example.org', false],
  ])('with TLS, %s: %s', (text, expected) => {
    expect(isHttpAddress(text, { ...EXACT, tls: true })).toBe(expected);
  });

  it.each([
    ['https://user:pass%40word@host', ['pass@word', 'pass%40word', 'dXNlcjpwYXNzQHdvcmQ=']],
    ['https://token@host', ['token', 'token', 'dG9rZW46']],
    ['https://host', []],
  ])('%s has the secrets %j', (url, secrets) => {
    expect(addressSecrets(new URL(url))).toEqual(secrets);
  });

  it('is described by what it must not have', () => {
    const start = 'an address that starts with http:// or https://, without ';
    expect(describeHttpAddress(BASE)).toBe(`${start}user, password, query and fragment`);
    expect(describeHttpAddress(EXACT)).toBe(`${start}fragment`);
  });

  it('gives its credentials as a header', () => {
    const authorization = `Basic ${Buffer.from('bridge:p@ss/wörd').toString('base64')}`;
    expect(addressAuthorization(new URL('https://bridge:p%40ss%2Fw%C3%B6rd@host'))).toEqual({
      authorization,
    });
    expect(addressAuthorization(new URL('https://host'))).toEqual({});
  });
});
