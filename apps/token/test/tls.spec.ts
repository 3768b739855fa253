import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { freePort } from '@ssb/dev/free-ports';
import { calculateJwkThumbprint, createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import * as oauth from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { CLIENT_ID, CLIENT_SECRET, type RunningApp, startTokenApp } from './support/running-app.js';

const BOUND = { clientId: 'bound', secret: 'the secret of a bound one', scopes: 'A|P|R', bound: true };
let authority: Authority;
let server: Credential;
let client: Credential;
let issuer: string;
let app: RunningApp;
const agents: Agent[] = [];

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test CA', now: new Date() });
  [server, client] = await Promise.all([
    issueServer(),
    authority.issue({ commonName: 'client', usage: 'client' }),
  ]);
  const port = await freePort();
  issuer = `https://127.0.0.1:${port}`;
  app = await startTls({ PORT: String(port), ISSUER: issuer });
  await app.addAccount(BOUND);
});

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await app.stop();
});

describe('a third-party client library', () => {
  const discover = (secret: string, authentication: oauth.ClientAuth) =>
    oauth.discovery(new URL(issuer), CLIENT_ID, secret, authentication, {
      algorithm: 'oauth2',
      [oauth.customFetch]: fetchWith(),
    });

  it.each([
    ['client_secret_post', oauth.ClientSecretPost(CLIENT_SECRET)],
    ['client_secret_basic', oauth.ClientSecretBasic(CLIENT_SECRET)],
  ])('discovers the metadata and gets a token with %s', async (_, authentication) => {
    const configuration = await discover(CLIENT_SECRET, authentication);
    const token = await oauth.clientCredentialsGrant(configuration, { scope: 'SETTLEMENT' });
    expect(token).toMatchObject({ token_type: 'bearer', scope: 'SETTLEMENT|PART1|CR SETTLEMENT|PART2|R' });
    expect(token.expiresIn()).toBeLessThanOrEqual(1_800);
    const { jwks_uri: keysUrl = '' } = configuration.serverMetadata();
    const keys = (await (await fetchWith()(keysUrl)).json()) as JSONWebKeySet;
    const { payload } = await jwtVerify(token.access_token, createLocalJWKSet(keys), {
      issuer,
      audience: 'urn:test',
      typ: 'at+jwt',
    });
    expect(payload['client_id']).toBe(CLIENT_ID);
    // A key id is the thumbprint (RFC 7638).
    for (const key of keys.keys) expect(await calculateJwkThumbprint(key)).toBe(key.kid);
  });

  it('parses a refusal', async () => {
    const wrong = await discover('wrong', oauth.ClientSecretPost('wrong'));
    const refusal: unknown = await oauth.clientCredentialsGrant(wrong).catch((error: unknown) => error);
    if (!(refusal instanceof oauth.WWWAuthenticateChallengeError)) throw refusal;
    // RFC 9110 §15.5.2: a 401 has a challenge, which this library reports before the body.
    expect(refusal).toMatchObject({ status: 401, cause: [{ scheme: 'basic' }] });
    expect(await refusal.response.json()).toMatchObject({ error: 'invalid_client' });
    const right = await discover(CLIENT_SECRET, oauth.ClientSecretPost(CLIENT_SECRET));
    await expect(oauth.clientCredentialsGrant(right, { scope: 'OTHER' })).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    });
  });
});

describe('certificate-bound tokens (RFC 8705)', () => {
  it('carry the thumbprint of the client certificate of their request, on a resumed connection too', async () => {
    const fetchAsClient = fetchWith(client);
    const expected = Buffer.from(
      new X509Certificate(client.cert).fingerprint256.replaceAll(':', ''),
      'hex',
    ).toString('base64url');
    for (let time = 0; time < 3; time += 1) {
      const { status, body } = await requestToken(BOUND.clientId, BOUND.secret, fetchAsClient, {
        connection: 'close',
      });
      expect(status).toBe(200);
      expect(decodeJwt(body.access_token ?? '')['cnf']).toEqual({ 'x5t#S256': expected });
    }
  });

  it('are not issued without a certificate or with one of another authority', async () => {
    const untrusted = await (await createOtherAuthority()).issue({ commonName: 'client' });
    for (const fetchAs of [fetchWith(), fetchWith(untrusted)])
      expect(await requestToken(BOUND.clientId, BOUND.secret, fetchAs)).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
  });

  it('are an option of the account: another account gets a bearer token despite its certificate', async () => {
    const { body } = await requestToken(CLIENT_ID, CLIENT_SECRET, fetchWith(client));
    expect(decodeJwt(body.access_token ?? '')).not.toHaveProperty('cnf');
  });
});

describe('the TLS files', () => {
  it('of client authorities are refused without HTTPS', async () => {
    await expect(startTokenApp({ CLIENT_CA_FILE: '/nowhere/ca.pem' })).rejects.toThrow(/needs HTTPS/);
  });
});

const createOtherAuthority = (): Promise<Authority> =>
  createAuthority({ name: 'Another CA', now: new Date() });

const issueServer = (): Promise<Credential> =>
  authority.issue({ commonName: 'server', hosts: ['127.0.0.1'], usage: 'server' });

async function startTls(settings: Record<string, string>): Promise<RunningApp> {
  const folder = await mkdtemp(join(tmpdir(), 'token-tls-'));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const running = await startTokenApp({
    TLS_CERT_FILE: await file('cert.pem', server.cert),
    TLS_KEY_FILE: await file('key.pem', server.key),
    CLIENT_CA_FILE: await file('ca.pem', authority.cert),
    ...settings,
  });
  const stop = async (): Promise<void> => {
    await running.stop();
    await rm(folder, { recursive: true });
  };
  return { ...running, folder, stop };
}

/** `fetch` that trusts the authority of the test, with or without a client certificate. */
function fetchWith(credentials?: Credential): typeof fetch {
  const agent = new Agent({ connect: { ca: authority.cert, ...credentials } });
  agents.push(agent);
  return ((input: string, init?: object) =>
    undiciFetch(input, { ...init, dispatcher: agent })) as unknown as typeof fetch;
}

async function requestToken(
  clientId: string,
  secret: string,
  fetchAs: typeof fetch,
  headers?: Record<string, string>,
) {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const response = await fetchAs(`${issuer}/oauth/v1/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
  return { status: response.status, body: (await response.json()) as { access_token?: string } };
}
