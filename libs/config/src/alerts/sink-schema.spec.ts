import { listSinkFiles, sinkSchema } from './sink-schema.js';

const SECRET = `whsec_${'A'.repeat(32)}`;
const WEBHOOK = { name: 'treasury', kind: 'webhook', url: 'https://host/hook', secretFile: 'secret' };

function problemsOf(change: object): string[] {
  const result = sinkSchema.safeParse({ ...WEBHOOK, ...change });
  return (result.error?.issues ?? []).map(({ path, message }) => [...path, message].join(' '));
}

it.each<[string, object]>([
  ['http on loopback', { url: 'http://127.0.0.1:8080/hook' }],
  ['two secrets', { secretFile: undefined, secretFiles: ['new', 'old'] }],
  ['a secret', { secretFile: undefined, secret: SECRET }],
  ['headers', { headers: { 'x-team': 'the treasury' }, headerFiles: { Authorization: 'key' } }],
  ['a placeholder without a variable', { headers: { 'x-team': '\0${TEAM}' } }],
  ['a token', { bearerTokenFile: 'token', maxPerMinute: 60, timeout: '30s' }],
  ['a grant', { oauth: { tokenUrl: 'https://host/token?x=1', clientId: 'a', clientSecretFile: 'b' } }],
  ['a certificate', { pfxFile: 'client.p12', pfxPasswordFile: 'password', caFile: 'ca.pem' }],
])('%s', (_, change) => {
  expect(problemsOf(change)).toEqual([]);
});

const ONE_WAY = 'but one way of authorization is allowed';
const HEADER = 'must be visible ASCII characters, at most 4096, and spaces between them';

it.each<[string, object, string]>([
  [
    'plain http',
    { url: 'http://host/hook' },
    'url must be an address that starts with https://, or with http:// on loopback, without fragment',
  ],
  [
    'a plain token address',
    { oauth: { tokenUrl: 'http://host/token', clientId: 'a', clientSecretFile: 'b' } },
    'oauth tokenUrl must be an address that starts with https://, or with http:// on loopback, without user, password and fragment',
  ],
  ['no secret', { secretFile: undefined }, 'must have exactly one of secretFile, secretFiles and secret'],
  ['two kinds of secrets', { secret: SECRET }, 'must have exactly one of secretFile, secretFiles and secret'],
  ['a header in two lines', { headers: { 'x-a': 'a\r\nx-b: b' } }, `headers x-a ${HEADER}`],
  ['an empty header', { headers: { 'x-a': '' } }, `headers x-a ${HEADER}`],
  [
    'a header of the bridge',
    { headerFiles: { 'Webhook-Signature': 'file' } },
    'headerFiles Webhook-Signature is set by the bridge or by HTTP; choose another name',
  ],
  [
    'no name',
    { headers: { 'x a': 'b' } },
    'headers x a is not the name of a header; it takes letters, digits and -',
  ],
  [
    'a name twice',
    { headers: { 'x-a': 'b' }, headerFiles: { 'X-A': 'b' } },
    'headerFiles X-A is named twice; name it once',
  ],
  [
    'too many headers',
    { headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, 'a'])) },
    'headers and headerFiles have 21 entries; at most 20 are allowed',
  ],
  [
    'two ways of authorization',
    { url: 'https://user@host', bearerTokenFile: 'token' },
    `has a user in url and bearerTokenFile, ${ONE_WAY}`,
  ],
  [
    'a header and a grant',
    {
      headers: { authorization: 'x' },
      oauth: { tokenUrl: 'https://host', clientId: 'a', clientSecretFile: 'b' },
    },
    `has oauth and the header authorization, ${ONE_WAY}`,
  ],
  ['a certificate without its key', { certFile: 'a' }, 'must have both certFile and keyFile, or neither'],
  [
    'the name of the receiver of a setting',
    { name: 'OPERATIONS_WEBHOOK_URL' },
    'name must not be OPERATIONS_WEBHOOK_URL, the name of the receiver of that setting; choose another name',
  ],
  ['a long time', { timeout: '6m' }, 'timeout must be a duration from 1s to 5m, such as 30s'],
])('refuses %s', (_, change, problem) => {
  expect(problemsOf(change)).toEqual([problem]);
});

it('lists every file that the subscriber reads', () => {
  const sink = sinkSchema.parse({
    ...WEBHOOK,
    headerFiles: { 'x-key': 'key' },
    oauth: { tokenUrl: 'https://host', clientId: 'a', clientSecretFile: 'client' },
    certFile: 'cert',
    keyFile: 'cert-key',
    caFile: 'ca',
  });
  expect(listSinkFiles(sink)).toEqual(['secret', 'key', 'client', 'cert', 'cert-key', 'ca']);
});
