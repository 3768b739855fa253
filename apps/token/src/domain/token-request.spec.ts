import { type RawTokenRequest, parseTokenRequest } from './token-request.js';

const IN_FORM = { grant_type: 'client_credentials', client_id: 'part1', client_secret: 's', scope: 'A B' };
const encodeForm = (form: Readonly<Record<string, string>>): string => new URLSearchParams(form).toString();
const GOOD = {
  contentType: 'application/x-www-form-urlencoded',
  authorization: undefined,
  form: encodeForm(IN_FORM),
};
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const withForm = (form: Readonly<Record<string, string>>): RawTokenRequest => ({
  ...GOOD,
  form: encodeForm({ ...IN_FORM, ...form }),
});
const withMore = (text: string): RawTokenRequest => ({ ...GOOD, form: `${GOOD.form}&${text}` });
const withBasic = (text: string, form: Readonly<Record<string, string>> = {}): RawTokenRequest => ({
  ...GOOD,
  authorization: basic(text),
  form: encodeForm({ grant_type: 'client_credentials', ...form }),
});

describe('parseTokenRequest', () => {
  it.each<[string, RawTokenRequest, object]>([
    ['credentials in the form', GOOD, { clientId: 'part1', clientSecret: 's', scope: 'A B' }],
    [
      'a charset',
      { ...GOOD, contentType: 'application/x-www-form-urlencoded; charset=UTF-8' },
      { clientId: 'part1' },
    ],
    ['many scopes', withForm({ scope: 'A '.repeat(1_000) }), { scope: 'A '.repeat(1_000) }],
    ['an empty scope as none', withForm({ scope: '' }), { scope: undefined }],
    // RFC 6749 §3.2: unknown parameters are ignored, also those with names that JavaScript uses.
    ['an unknown parameter', withMore('more=1&more=2'), { clientId: 'part1' }],
    ...['__proto__', 'constructor', 'toString', '', '%zz'].map((name): [string, RawTokenRequest, object] => [
      `an unknown parameter named ${name}`,
      withMore(`${name}=1`),
      { clientId: 'part1', clientSecret: 's', scope: 'A B' },
    ]),
    ['letters beyond ASCII', withForm({ client_secret: 'ключ é' }), { clientSecret: 'ключ é' }],
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
  ])('parses %s', (_, raw, expected) => {
    expect(parseTokenRequest(raw)).toMatchObject(expected);
  });

  it.each<[string, RawTokenRequest, string, number]>([
    ['JSON', { ...GOOD, contentType: 'application/json' }, 'invalid_request', 400],
    ['no content type', { ...GOOD, contentType: undefined }, 'invalid_request', 400],
    ['no body', { ...GOOD, form: undefined }, 'invalid_request', 400],
    ['no grant_type', withForm({ grant_type: '' }), 'invalid_request', 400],
    ['another grant', withForm({ grant_type: 'password' }), 'unsupported_grant_type', 400],
    ['a repeated parameter', withMore('client_id=part2'), 'invalid_request', 400],
    ['a secret that is too long', withForm({ client_secret: 'x'.repeat(1025) }), 'invalid_request', 400],
    ['no client_id', withForm({ client_id: '' }), 'invalid_client', 401],
    ['no client_secret', withForm({ client_secret: '' }), 'invalid_client', 401],
    ['another scheme', { ...withBasic('part1:s'), authorization: 'Bearer x' }, 'invalid_client', 401],
    ['HTTP Basic without a colon', withBasic('part1'), 'invalid_client', 401],
    ['HTTP Basic without a secret', withBasic('part1:'), 'invalid_client', 401],
    [
      'credentials in the form and by HTTP Basic',
      withBasic('part1:s', { client_id: 'part1', client_secret: 's' }),
      'invalid_request',
      400,
    ],
    ['different client ids', withBasic('part1:s', { client_id: 'part2' }), 'invalid_request', 400],
  ])('refuses %s', (_, raw, code, status) => {
    expect(() => parseTokenRequest(raw)).toThrow(
      expect.objectContaining({ name: 'OAuthError', code, status }),
    );
  });
});
