import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { CLIENT_ID, CLIENT_SECRET, type RunningApp, startTokenApp } from './support/running-app.js';

/** What is seen on the wire alone: addresses as nobody writes them, methods that nobody asks with, and bytes that are no request. */
let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
});

afterAll(() => app?.stop());

interface WireAnswer {
  readonly status: number;
  /** In small letters. */
  readonly head: string;
  readonly body: string;
}

/** What is answered to these bytes, until the service ends the connection. */
async function answerTo(bytes: string, url = app.url): Promise<WireAnswer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(bytes);
  const answer = await text(socket);
  socket.destroy();
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ', 2)[1]), head: head.toLowerCase(), body };
}

const HOST = 'host: x\r\n';
const LAST = 'connection: close\r\n';
const FORM = 'content-type: application/x-www-form-urlencoded\r\n';

function post(target: string, form: string, more = HOST, url = app.url): Promise<WireAnswer> {
  const head = `POST ${target} HTTP/1.1\r\n${more}${FORM}${LAST}content-length: ${form.length}\r\n\r\n`;
  return answerTo(head + form, url);
}

/** RFC 6749 §5.2. */
function expectOAuthError({ head, body }: WireAnswer, error: string): void {
  expect(head).toMatch(/^content-type: application\/json/m);
  expect(head).toMatch(/^cache-control: no-store$/m);
  expect(JSON.parse(body)).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/),
  });
}

function expectProblem({ head, body, status }: WireAnswer): void {
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
const RIGHT = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
}).toString();

describe.each(TARGETS)('the token endpoint, addressed as %s', (target) => {
  it('gives a token, and its refusals in the form of RFC 6749', async () => {
    expect((await post(target, RIGHT)).status).toBe(200);
    const refused = await post(target, `${RIGHT}wrong`);
    expect(refused.status).toBe(401);
    expectOAuthError(refused, 'invalid_client');
  });
});

describe('the token endpoint', () => {
  it.each([
    ['no host', '', 'A Host header is missing.'],
    ['two hosts', `${HOST}${HOST}`, 'There is more than one Host header.'],
  ])('refuses a request with %s in the form of RFC 6749', async (_what, hosts, description) => {
    const refused = await post('/oauth/v1/token', RIGHT, hosts);
    expect(refused.status).toBe(400);
    expectOAuthError(refused, 'invalid_request');
    expect(JSON.parse(refused.body)).toMatchObject({ error_description: description });
  });

  it('refuses a body in chunks that are none in the form of RFC 6749', async () => {
    const head = `POST /oauth/v1/token HTTP/1.1\r\n${HOST}${FORM}transfer-encoding: chunked\r\n\r\n`;
    const refused = await answerTo(`${head}zz\r\n`);
    expect(refused.status).toBe(400);
    expectOAuthError(refused, 'invalid_request');
  });

  // CONNECT has no address (RFC 9112 §3.2.3), and HEAD no body.
  it.each(METHODS.filter((method) => !['POST', 'CONNECT', 'HEAD'].includes(method)))(
    'refuses %s in the form of RFC 6749',
    async (method) => {
      const refused = await answerTo(`${method} /oauth/v1/token HTTP/1.1\r\n${HOST}${LAST}\r\n`);
      expect([refused.status, /^allow: (.*)$/m.exec(refused.head)?.[1]]).toEqual([405, 'post']);
      expectOAuthError(refused, 'invalid_request');
    },
  );

  it.each(['__proto__=1', 'constructor=1', '__proto__[a]=1'])('ignores %s', async (parameter) => {
    expect((await post('/oauth/v1/token', `${RIGHT}&${parameter}`)).status).toBe(200);
  });
});

describe('what is for no address, or for none that is there', () => {
  it.each([
    ['a length that is none', `POST /oauth/v1/token HTTP/1.1\r\n${HOST}content-length: abc\r\n\r\n`, 400],
    ['a method that HTTP does not have', `FOO /oauth/v1/token HTTP/1.1\r\n${HOST}\r\n`, 400],
    [
      'headers of more than 16 KiB',
      `POST /oauth/v1/token HTTP/1.1\r\n${HOST}x: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['an address that cannot be decoded', `POST /oauth/v1/tok%zzen HTTP/1.1\r\n${HOST}${LAST}\r\n`, 400],
    ['a method that nobody takes', `PURGE /oauth/v1/tokens HTTP/1.1\r\n${HOST}${LAST}\r\n`, 404],
    ['no host at another address', `GET /health/live HTTP/1.1\r\n${LAST}\r\n`, 400],
  ])('%s is answered with a problem', async (_what, bytes, status) => {
    const answer = await answerTo(bytes);
    expect(answer.status).toBe(status);
    expectProblem(answer);
  });

  it('has no token endpoint at the admin door', async () => {
    const answer = await post('/oauth/v1/token', RIGHT, HOST, app.adminUrl);
    expect(answer.status).toBe(404);
    expectProblem(answer);
  });
});
