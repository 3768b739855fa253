import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { CLIENT_ID, CLIENT_SECRET, type RunningApp, startTokenApp } from './support/running-app.js';

let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
});

afterAll(async () => {
  await app.stop();
});

const GOOD = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
function requestToken(form: Record<string, string>): Promise<Response> {
  return fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(form) });
}

it('issues a JWT of RFC 9068 that the published keys verify', async () => {
  const response = await requestToken({ ...GOOD, scope: 'PRUDENTIAL' });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { access_token: token } = (await response.json()) as { access_token: string };
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

describe('a wrong request to the token endpoint', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const send = (method: string, body: string | undefined, headers: Record<string, string>) =>
    fetch(`${app.url}/oauth/v1/token`, { method, headers, ...(body !== undefined && { body }) });
  const form = new URLSearchParams(GOOD).toString();
  const GRANT = 'grant_type=client_credentials';

  it.each<[string, string, string | undefined, Record<string, string>, number, string]>([
    ['a JSON body', 'POST', JSON.stringify(GOOD), JSON_TYPE, 400, 'invalid_request'],
    ['broken JSON', 'POST', '{', JSON_TYPE, 400, 'invalid_request'],
    ['an unknown media type', 'POST', form, { 'content-type': 'a/b' }, 400, 'invalid_request'],
    ['a malformed media type', 'POST', form, { 'content-type': ';;' }, 400, 'invalid_request'],
    ['no body', 'POST', undefined, {}, 400, 'invalid_request'],
    ['a malformed form', 'POST', '%zz=%%%&&&===', FORM, 400, 'invalid_request'],
    ['a body over the limit', 'POST', `scope=${'A'.repeat(20_000)}`, FORM, 413, 'invalid_request'],
    ['another scheme', 'POST', GRANT, { ...FORM, authorization: 'Bearer x' }, 401, 'invalid_client'],
    ['GET', 'GET', undefined, {}, 405, 'invalid_request'],
    ['PUT with broken JSON', 'PUT', '{', JSON_TYPE, 405, 'invalid_request'],
    ['OPTIONS', 'OPTIONS', undefined, {}, 405, 'invalid_request'],
  ])('%s gets an error of RFC 6749', async (_, method, body, headers, status, error) => {
    const response = await send(method, body, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
    expect(response.headers.get('www-authenticate')).toEqual(
      status === 401 ? expect.stringMatching(/^Basic /) : null,
    );
    const refusal = (await response.json()) as { error_description: string };
    expect(refusal).toEqual({ error, error_description: expect.any(String) });
    // RFC 6749 §5.2 allows these characters.
    expect(refusal.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it.each(['/oauth/v1/%74oken', '/%6fauth/v1/token?a=b', 'http://x/oauth/v1/token'])(
    'gets an error of RFC 6749 in every spelling of the address: %s',
    async (target) => {
      const head = `POST ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: ${FORM['content-type']}\r\n`;
      const responses: string[] = [];
      for (const rest of [
        `content-length: ${form.length}x\r\n\r\n`,
        'transfer-encoding: chunked\r\n\r\nzz\r\n',
      ]) {
        const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
        socket.write(head + rest);
        responses.push(await text(socket));
      }
      expect(responses[0]).toMatch(/^HTTP\/1\.1 400 [^]*^content-type: application\/problem\+json/im);
      expect(responses[1]).toMatch(/^HTTP\/1\.1 400 [^]*"error":"invalid_request"/);
    },
  );

  it('credentials in the query are ignored', async () => {
    const response = await fetch(`${app.url}/oauth/v1/token?${form}`, {
      method: 'POST',
      headers: FORM,
      body: GRANT,
    });
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'invalid_client' }]);
  });

  it('other paths respond with problem+json', async () => {
    const response = await fetch(`${app.url}/oauth/v1/tokens`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });
});

it('computes one memory-hard hash for a right or wrong secret, and none for its repetition or an unknown client', async () => {
  const secret = 'the secret of hashed';
  await app.addAccount({ clientId: 'hashed', secret, scopes: 'A|P|R' });
  const count = async (): Promise<number> => {
    const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
    return Number(/^settlement_bridge_token_secret_hashes_total (\d+)$/m.exec(text)?.[1]);
  };
  const countOf = async (form: Record<string, string>): Promise<number> => {
    const before = await count();
    await requestToken({ ...GOOD, ...form });
    return (await count()) - before;
  };
  const [wrong, right] = [
    { client_id: 'hashed', client_secret: 'wrong' },
    { client_id: 'hashed', client_secret: secret },
  ];
  expect([await countOf(wrong), await countOf(wrong)]).toEqual([1, 0]);
  expect(await countOf({ client_id: 'unknown' })).toBe(0);
  expect([await countOf(right), await countOf(right)]).toEqual([1, 0]);
});

describe('the .well-known resources', () => {
  /** RFC 8414 §2 and §3.2. */
  async function readMetadata(url: string): Promise<Record<string, unknown>> {
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    return (await response.json()) as Record<string, unknown>;
  }

  it('publish the metadata of RFC 8414, with every required member and no empty list', async () => {
    const metadata = await readMetadata(`${app.url}/.well-known/oauth-authorization-server`);
    expect(metadata).toEqual({
      issuer: 'https://tokens.example',
      token_endpoint: 'https://tokens.example/oauth/v1/token',
      jwks_uri: 'https://tokens.example/.well-known/jwks.json',
      grant_types_supported: ['client_credentials'],
      response_types_supported: ['none'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      tls_client_certificate_bound_access_tokens: false,
    });
  });

  it('publish the metadata of an issuer with a path where RFC 8414 §3.1 puts it', async () => {
    const withPath = await startTokenApp({ ISSUER: 'https://example.com/market/tokens/' });
    try {
      const metadata = `${withPath.url}/.well-known/oauth-authorization-server`;
      for (const url of [metadata, `${metadata}/market/tokens`, `${metadata}/market/tokens?x=y`])
        expect(await readMetadata(url)).toMatchObject({
          issuer: 'https://example.com/market/tokens',
          token_endpoint: 'https://example.com/market/tokens/oauth/v1/token',
        });
      for (const path of ['/', '/market', '/market/tokens/x', '/MARKET/tokens'])
        expect((await fetch(metadata + path)).status).toBe(404);
    } finally {
      await withPath.stop();
    }
    expect((await fetch(`${app.url}/.well-known/oauth-authorization-server/market`)).status).toBe(404);
  });
});
