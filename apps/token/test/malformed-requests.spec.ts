import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CLIENT_ID, CLIENT_SECRET, type RunningApp, startTokenApp } from './support/running-app.js';

/** Cases that need raw bytes: unusual spellings of the path, unusual methods and malformed requests. */
let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
});

afterAll(() => app?.stop());

interface RawResponse {
  readonly status: number;
  /** In lower case. */
  readonly head: string;
  readonly body: string;
}

/** Sends the bytes and reads until the service closes the connection. */
async function sendBytes(bytes: string, url = app.url): Promise<RawResponse> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  const received = await text(socket);
  socket.destroy();
  const [head = '', body = ''] = received.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ', 2)[1]), head: head.toLowerCase(), body };
}

const HOST = 'host: x\r\n';
const CLOSE = 'connection: close\r\n';
const FORM = 'content-type: application/x-www-form-urlencoded\r\n';

function post(target: string, form: string, headers = HOST, url = app.url): Promise<RawResponse> {
  const head = `POST ${target} HTTP/1.1\r\n${headers}${FORM}${CLOSE}content-length: ${form.length}\r\n\r\n`;
  return sendBytes(head + form, url);
}

/** RFC 6749 §5.2. */
function expectOAuthError({ head, body }: RawResponse, error: string): void {
  expect(head).toMatch(/^content-type: application\/json/m);
  expect(head).toMatch(/^cache-control: no-store$/m);
  expect(JSON.parse(body)).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
  });
}

function expectProblem({ head, body, status }: RawResponse): void {
  expect(head).toMatch(/^content-type: application\/problem\+json/m);
  expect(JSON.parse(body)).toMatchObject({ type: 'about:blank', status, title: expect.any(String) });
}

const TARGETS = [
  '/oauth/v1/token',
  '/oauth/v1/%74oken',
  '/%6fauth/v1/token?a=b',
  'http://x/oauth/v1/token',
  '/oauth/v1/token#fragment',
];
const CORRECT_FORM = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
}).toString();

describe.each(TARGETS)('the token endpoint with the request target %s', (target) => {
  it('issues a token, and refuses in the form of RFC 6749', async () => {
    expect((await post(target, CORRECT_FORM)).status).toBe(200);
    const refused = await post(target, `${CORRECT_FORM}wrong`);
    expect(refused.status).toBe(401);
    expectOAuthError(refused, 'invalid_client');
  });
});

describe('the token endpoint', () => {
  it.each([
    ['no host', '', 'A Host header is missing.'],
    ['two hosts', `${HOST}${HOST}`, 'There is more than one Host header.'],
  ])('refuses a request with %s in the form of RFC 6749', async (_case, hosts, description) => {
    const refused = await post('/oauth/v1/token', CORRECT_FORM, hosts);
    expect(refused.status).toBe(400);
    expectOAuthError(refused, 'invalid_request');
    expect(JSON.parse(refused.body)).toMatchObject({ error_description: description });
  });

  it('refuses a body with a content coding in the form of RFC 6749', async () => {
    const refused = await post('/oauth/v1/token', CORRECT_FORM, `${HOST}content-encoding: gzip\r\n`);
    expect([refused.status, refused.head]).toEqual([
      415,
      expect.stringMatching(/^accept-encoding: identity$/m),
    ]);
    expectOAuthError(refused, 'invalid_request');
    expect(
      (await post('/oauth/v1/token', CORRECT_FORM, `${HOST}content-encoding: identity\r\n`)).status,
    ).toBe(200);
  });

  it('refuses malformed chunks in the form of RFC 6749', async () => {
    const head = `POST /oauth/v1/token HTTP/1.1\r\n${HOST}${FORM}transfer-encoding: chunked\r\n\r\n`;
    const refused = await sendBytes(`${head}zz\r\n`);
    expect(refused.status).toBe(400);
    expectOAuthError(refused, 'invalid_request');
  });

  // CONNECT has no path (RFC 9112 §3.2.3), and HEAD no body.
  it.each(METHODS.filter((method) => !['POST', 'CONNECT', 'HEAD'].includes(method)))(
    'refuses %s in the form of RFC 6749',
    async (method) => {
      const refused = await sendBytes(`${method} /oauth/v1/token HTTP/1.1\r\n${HOST}${CLOSE}\r\n`);
      expect([refused.status, /^allow: (.*)$/m.exec(refused.head)?.[1]]).toEqual([405, 'post']);
      expectOAuthError(refused, 'invalid_request');
    },
  );

  it.each(['__proto__=1', 'constructor=1', '__proto__[a]=1'])('ignores %s', async (parameter) => {
    expect((await post('/oauth/v1/token', `${CORRECT_FORM}&${parameter}`)).status).toBe(200);
  });
});

describe('a request for no route or an unknown one', () => {
  it.each([
    [
      'a malformed Content-Length',
      `POST /oauth/v1/token HTTP/1.1\r\n${HOST}content-length: abc\r\n\r\n`,
      400,
    ],
    ['an unknown method', `FOO /oauth/v1/token HTTP/1.1\r\n${HOST}\r\n`, 400],
    [
      'headers of more than 16 KiB',
      `POST /oauth/v1/token HTTP/1.1\r\n${HOST}x: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a path that cannot be decoded', `POST /oauth/v1/tok%zzen HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 400],
    ['an unusual method', `PURGE /oauth/v1/tokens HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 404],
    ['no host for another route', `GET /.well-known/jwks.json HTTP/1.1\r\n${CLOSE}\r\n`, 400],
  ])('with %s gets problem+json', async (_case, bytes, status) => {
    const answer = await sendBytes(bytes);
    expect(answer.status).toBe(status);
    expectProblem(answer);
  });

  it('gets problem+json for a body with a content coding on the port of the admin API', async () => {
    const answer = await post('/admin/v1/accounts', '{}', `${HOST}content-encoding: br\r\n`, app.adminUrl);
    expect([answer.status, answer.head]).toEqual([
      415,
      expect.stringMatching(/^accept-encoding: identity$/m),
    ]);
    expectProblem(answer);
  });

  it('gets problem+json for the token endpoint on the port of the admin API', async () => {
    const answer = await post('/oauth/v1/token', CORRECT_FORM, HOST, app.adminUrl);
    expect(answer.status).toBe(404);
    expectProblem(answer);
  });
});
