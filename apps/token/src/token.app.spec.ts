import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { CLIENT_ID, CLIENT_SECRET, HELD, type RunningApp, startTokenApp } from './testing/running-app.js';

let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
});

afterAll(async () => {
  await app.stop();
});

const GOOD = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

function ask(
  form: Record<string, string>,
  headers: Record<string, string> = {},
  url = app.url,
): Promise<Response> {
  return fetch(`${url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(form), headers });
}

async function granted(form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await ask(form, headers);
  expect(response.status).toBe(200);
  return (await response.json()) as {
    access_token: string;
    token_type: string;
    expires_in: number;
    scope: string;
  };
}

describe('POST /oauth/v1/token', () => {
  it('answers as document 001 has it, never to be stored', async () => {
    const response = await ask(GOOD);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 1800,
      scope: HELD,
    });
  });

  it('issues a JWT of RFC 9068 that the published keys verify', async () => {
    const { access_token: token } = await granted({ ...GOOD, scope: 'PRUDENTIAL' });
    const keys = createRemoteJWKSet(new URL(`${app.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: 'https://tokens.example',
      audience: 'urn:test',
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    });
    expect(payload).toMatchObject({ sub: CLIENT_ID, client_id: CLIENT_ID, scope: 'PRUDENTIAL|PART1|R' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(1800);
    expect(protectedHeader.kid).toEqual(expect.any(String));
  });

  it('names every token differently', async () => {
    const [a, b] = await Promise.all([granted(GOOD), granted(GOOD)]);
    expect(decodeJwt(a.access_token).jti).not.toBe(decodeJwt(b.access_token).jti);
  });

  it('takes HTTP Basic as well', async () => {
    const answer = await granted(
      { grant_type: 'client_credentials', scope: 'SETTLEMENT|PART1|R NOTHELD' },
      basic(CLIENT_ID, CLIENT_SECRET),
    );
    expect(answer.scope).toBe('SETTLEMENT|PART1|R SETTLEMENT|PART2|R');
  });

  it.each<[string, Record<string, string>, Record<string, string>, number, string]>([
    ['a wrong secret', { ...GOOD, client_secret: 'wrong' }, {}, 401, 'invalid_client'],
    ['an unknown client', { ...GOOD, client_id: 'nobody' }, {}, 401, 'invalid_client'],
    ['no credentials', { grant_type: 'client_credentials' }, {}, 401, 'invalid_client'],
    ['wrong Basic', { grant_type: 'client_credentials' }, basic(CLIENT_ID, 'x'), 401, 'invalid_client'],
    ['another grant', { ...GOOD, grant_type: 'authorization_code' }, {}, 400, 'unsupported_grant_type'],
    ['no grant', { client_id: CLIENT_ID, client_secret: CLIENT_SECRET }, {}, 400, 'invalid_request'],
    ['a scope not held', { ...GOOD, scope: 'OTHER' }, {}, 400, 'invalid_scope'],
    ['a malformed scope', { ...GOOD, scope: 'PRUDENTIAL|PART1' }, {}, 400, 'invalid_scope'],
  ])('refuses %s', async (_, form, headers, status, error) => {
    const response = await ask(form, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('www-authenticate')).toEqual(
      status === 401 ? expect.stringMatching(/^Basic /) : null,
    );
    expect(await response.json()).toEqual({ error, error_description: expect.any(String) });
  });

  it('refuses a repeated parameter', async () => {
    const body = new URLSearchParams([...Object.entries(GOOD), ['scope', 'A'], ['scope', 'B']]);
    const response = await fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });

  it('refuses a JSON body', async () => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/oauth/v1/token`, {
      method: 'POST',
      body: JSON.stringify(GOOD),
      headers,
    });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });
});

describe('guessing', () => {
  it('is slowed, also when it is done in parallel, and the right secret waits with it', async () => {
    const guesses = Array.from({ length: 20 }, () =>
      ask({ ...GOOD, client_id: 'victim', client_secret: 'x' }),
    );
    const statuses = (await Promise.all(guesses)).map((response) => response.status);
    const looked = statuses.filter((status) => status === 401).length;
    // Five are free; what was already being looked at when the pause began comes on top.
    expect(looked).toBeGreaterThanOrEqual(6);
    expect(looked).toBeLessThanOrEqual(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - looked);
    const paused = await ask({ ...GOOD, client_id: 'victim' });
    expect(Number(paused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await paused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await ask(GOOD)).status).toBe(200);
  });
});

describe('what can be found out', () => {
  it('describes itself by RFC 8414', async () => {
    const response = await fetch(`${app.url}/.well-known/oauth-authorization-server`);
    expect(await response.json()).toMatchObject({
      issuer: 'https://tokens.example',
      token_endpoint: 'https://tokens.example/oauth/v1/token',
      jwks_uri: 'https://tokens.example/.well-known/jwks.json',
      grant_types_supported: ['client_credentials'],
    });
  });

  it('publishes no private key', async () => {
    const { keys } = (await (await fetch(`${app.url}/.well-known/jwks.json`)).json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(keys[0]).not.toHaveProperty('d');
  });
});
