import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessFileContent, OpenIdConnectAccess } from '@ssb/keys';
import { createLogger } from '@ssb/platform';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from 'jose';
import type { AccessFile } from '../access-file.js';
import { OpenIdConnect } from './openid-connect.js';

const log = createLogger({ name: 'api', level: 'silent', format: 'json' });

let server: Server;
let issuer: string;
let key: CryptoKey;
let publicJwk: string;
let requests: string[];
let isDown: boolean;
let metadata: Record<string, unknown>;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256' };
  publicJwk = JSON.stringify(jwk);
  server = createServer(({ url = '' }, response) => {
    requests.push(url);
    if (isDown) return void response.writeHead(500).end();
    if (url === '/market/.well-known/openid-configuration')
      return void response.end(JSON.stringify(metadata));
    if (url === '/keys') return void response.end(JSON.stringify({ keys: [jwk] }));
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

let access: OpenIdConnectAccess;
let openIdConnect: OpenIdConnect;

beforeEach(() => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = `${origin}/market`;
  requests = [];
  isDown = false;
  metadata = { issuer, jwks_uri: `${origin}/keys` };
  access = {
    issuer,
    audience: 'archive-api',
    roleClaim: 'realm_access.roles',
    viewerValues: ['bridge-viewer'],
    operatorValues: ['bridge-operator'],
    participantsClaim: 'participants',
    allParticipantsValue: 'everyone',
    nameClaim: 'email',
  };
  const content: AccessFileContent = { tokens: [], certificates: [], openIdConnect: access };
  openIdConnect = new OpenIdConnect({ current: () => content } as unknown as AccessFile, {}, log);
});

/** Claims of a token that is accepted. Each case breaks one thing. */
const VALID = {
  sub: 'user-1',
  email: 'vera@example.org',
  realm_access: { roles: ['other', 'bridge-viewer'] },
  participants: ['WPGENCO', '*'],
};

interface Changes {
  readonly claims?: JWTPayload;
  readonly issuer?: string;
  readonly audience?: string;
  readonly header?: object;
  readonly key?: CryptoKey | Uint8Array;
  readonly expires?: string;
}

function sign(changes: Changes = {}): Promise<string> {
  return new SignJWT({ ...VALID, ...changes.claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt', ...changes.header })
    .setIssuer(changes.issuer ?? issuer)
    .setAudience(changes.audience ?? 'archive-api')
    .setExpirationTime(changes.expires ?? '5 minutes')
    .sign(changes.key ?? key);
}

it('grants what the claims of a valid token say, and reads the keys of the issuer once', async () => {
  const first = await openIdConnect.verify(await sign());
  expect(first).toMatchObject({
    subject: 'user-1',
    grant: { name: 'vera@example.org', role: 'viewer', participants: ['WPGENCO'] },
  });
  const claims = { realm_access: { roles: ['bridge-operator', 'bridge-viewer'] }, participants: 'everyone' };
  const second = await openIdConnect.verify(await sign({ claims }));
  expect(second?.grant).toMatchObject({ role: 'operator', participants: 'all' });
  expect(requests).toEqual(['/market/.well-known/openid-configuration', '/keys']);
});

const LATER = Math.floor(Date.now() / 1_000) + 3_600;

it.each<[string, () => Changes | Promise<Changes>]>([
  ['of another issuer', () => ({ issuer: 'https://other.example' })],
  ['for another audience', () => ({ audience: 'other' })],
  ['that has expired', () => ({ expires: '1 minute ago' })],
  ['that is not valid yet', () => ({ claims: { nbf: LATER } })],
  ['signed by another key', async () => ({ key: (await generateKeyPair('ES256')).privateKey })],
  [
    'signed with the public key as a shared secret',
    () => ({ header: { alg: 'HS256' }, key: Buffer.from(publicJwk) }),
  ],
  ['of another type', () => ({ header: { typ: 'logout+jwt' } })],
  ['bound to a certificate', () => ({ claims: { cnf: { 'x5t#S256': 'abc' } } })],
  ['without a role', () => ({ claims: { realm_access: undefined } })],
  ['with an unknown role', () => ({ claims: { realm_access: { roles: ['admin'] } } })],
  ['without participants', () => ({ claims: { participants: undefined } })],
  ['with a list of no participants', () => ({ claims: { participants: [] } })],
  ['with the participant *', () => ({ claims: { participants: ['*'] } })],
  ['without a name', () => ({ claims: { email: undefined } })],
  ['without a subject', () => ({ claims: { sub: undefined as unknown as string } })],
])('refuses a token %s', async (_what, change) => {
  expect(await openIdConnect.verify(await sign(await change()))).toBeUndefined();
});

it('refuses a token without a signature, and text that is no token, without a request to the issuer', async () => {
  const unsigned = new UnsecuredJWT(VALID).setIssuer(issuer).setAudience('archive-api').encode();
  for (const token of [unsigned, 'text', 'a.b.c', ''])
    expect(await openIdConnect.verify(token)).toBeUndefined();
  expect(requests).toEqual([]);
});

it.each<[string, () => void]>([
  ['does not respond', () => (isDown = true)],
  ['names another issuer in its metadata', () => (metadata['issuer'] = 'https://other.example')],
  ['has keys without TLS', () => (metadata['jwks_uri'] = 'http://keys.example/keys')],
])('gives no verdict while the issuer %s', async (_what, change) => {
  change();
  await expect(openIdConnect.verify(await sign())).rejects.toMatchObject({ status: 503 });
});

it('keeps the keys that it knows while the issuer does not respond', async () => {
  await openIdConnect.verify(await sign());
  isDown = true;
  expect(await openIdConnect.verify(await sign({ header: { kid: 'two' } }))).toBeUndefined();
  expect(await openIdConnect.verify(await sign())).toBeDefined();
});

it('applies a changed mapping to a token that was verified before', async () => {
  const verified = await openIdConnect.verify(await sign());
  if (verified === undefined) throw new Error('the token was refused');
  expect(openIdConnect.grantOf(verified)).toEqual(verified.grant);
  Object.assign(access, { viewerValues: ['another'] });
  expect(openIdConnect.grantOf(verified)).toBeUndefined();
});
