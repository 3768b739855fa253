import { describe, expect, it } from '@jest/globals';
import { type RawTokenRequest, readTokenRequest } from './token-request.js';

const GOOD = {
  contentType: 'application/x-www-form-urlencoded',
  authorization: undefined,
  form: { grant_type: 'client_credentials', client_id: 'part1', client_secret: 's', scope: 'A B' },
};
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const withForm = (form: object): RawTokenRequest => ({ ...GOOD, form: { ...GOOD.form, ...form } });
const withBasic = (text: string, form: object = {}): RawTokenRequest => ({
  ...GOOD,
  authorization: basic(text),
  form: { grant_type: 'client_credentials', ...form },
});

describe('readTokenRequest', () => {
  it.each<[string, RawTokenRequest, object]>([
    ['credentials in the form', GOOD, { clientId: 'part1', clientSecret: 's', scope: 'A B' }],
    [
      'a charset',
      { ...GOOD, contentType: 'application/x-www-form-urlencoded; charset=UTF-8' },
      { clientId: 'part1' },
    ],
    ['many scopes', withForm({ scope: 'A '.repeat(1_000) }), { scope: 'A '.repeat(1_000) }],
    ['an empty scope as none', withForm({ scope: '' }), { scope: undefined }],
    ['HTTP Basic', withBasic('part1:s'), { clientId: 'part1', clientSecret: 's', scope: undefined }],
    [
      'HTTP Basic, form-encoded',
      withBasic('part+1:a%26b%3Ac'),
      { clientId: 'part 1', clientSecret: 'a&b:c' },
    ],
    ['HTTP Basic, not encoded', withBasic('part1:50%:&x'), { clientId: 'part1', clientSecret: '50%:&x' }],
    [
      'HTTP Basic with the same name in the form',
      withBasic('part1:s', { client_id: 'part1' }),
      { clientId: 'part1' },
    ],
  ])('reads %s', (_, raw, expected) => {
    expect(readTokenRequest(raw)).toMatchObject(expected);
  });

  it.each<[string, RawTokenRequest, string, number]>([
    ['JSON', { ...GOOD, contentType: 'application/json' }, 'invalid_request', 400],
    ['no content type', { ...GOOD, contentType: undefined }, 'invalid_request', 400],
    ['no body', { ...GOOD, form: null }, 'invalid_request', 400],
    ['no grant_type', withForm({ grant_type: '' }), 'invalid_request', 400],
    ['another grant', withForm({ grant_type: 'password' }), 'unsupported_grant_type', 400],
    ['a repeated parameter', withForm({ client_id: ['part1', 'part2'] }), 'invalid_request', 400],
    ['an endless secret', withForm({ client_secret: 'x'.repeat(1025) }), 'invalid_request', 400],
    ['no client_id', withForm({ client_id: '' }), 'invalid_client', 401],
    ['no client_secret', withForm({ client_secret: '' }), 'invalid_client', 401],
    ['another scheme', { ...withBasic('part1:s'), authorization: 'Bearer x' }, 'invalid_client', 401],
    ['HTTP Basic without a colon', withBasic('part1'), 'invalid_client', 401],
    ['HTTP Basic without a secret', withBasic('part1:'), 'invalid_client', 401],
    [
      'two ways at once',
      withBasic('part1:s', { client_id: 'part1', client_secret: 's' }),
      'invalid_request',
      400,
    ],
    ['two names', withBasic('part1:s', { client_id: 'part2' }), 'invalid_request', 400],
  ])('refuses %s', (_, raw, code, status) => {
    expect(() => readTokenRequest(raw)).toThrow(
      expect.objectContaining({ name: 'OAuthError', code, status }),
    );
  });
});
