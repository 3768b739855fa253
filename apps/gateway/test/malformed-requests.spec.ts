import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { sendRaw, AUTHORIZATION, getErrorCode, HOST, CONNECTION_CLOSE } from './support/raw-http.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Requests that the gateway refuses or ignores parts of, byte by byte and without a broker. */
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway(`http://127.0.0.1:${await freePort()}`, {
    ALLOWED_ORIGINS: 'https://a.example, https://console.example',
  });
});

afterAll(() => gateway?.stop());

/** Sends the head, with the host and the end of the connection, and the body as it is. */
async function send(requestLine: string, headers: string, body: string | Buffer = '') {
  const head = `${requestLine} HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}${headers}\r\n`;
  const response = await sendRaw(gateway, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
  return {
    ...response,
    get outcome() {
      return [response.status, getErrorCode(response)];
    },
  };
}

const sendBody = (path: string, type: string, body: string | Buffer) =>
  send(
    `POST ${path}`,
    `${AUTHORIZATION}${type && `content-type: ${type}\r\n`}content-length: ${Buffer.byteLength(body)}\r\n`,
    body,
  );

it('a malformed request gets an error object', async () => {
  const response = await sendRaw(gateway, 'GARBAGE\r\n\r\n');
  expect([response.status, getErrorCode(response)]).toEqual([400, 'REQ::INVALID_REQUEST']);
  expect(response.head).toMatch(/content-type: application\/json/i);
});

it.each([
  'GET /api/v1/config/identity',
  'POST /api/v1/config/identity',
  'GET /api/v1/config/enrol',
  'POST /api/v1/config/enrol',
  'GET /api/v1/message',
  'POST /api/v1/message',
  'GET /api/v1/channels',
  'POST /api/v1/verifysignature',
])('%s needs credentials, before its body is read', async (requestLine) => {
  const response = await send(requestLine, 'content-type: application/json\r\ncontent-length: 17000000\r\n');
  expect(response.outcome).toEqual([401, 'REQ::UNAUTHENTICATED']);
  expect(response.head).toMatch(/www-authenticate: Basic realm=/i);
});

it.each([
  'PUT /api/v1/message',
  'OPTIONS /api/v1/message',
  'TRACE /api/v1/channels',
  'GET /api/v1/channels/',
  'GET /API/v1/channels',
  'GET /api//v1/channels',
  'GET /events',
  'GET /health/live',
  'GET /health/ready',
  'GET /metrics',
])('%s is not found', async (requestLine) => {
  expect((await send(requestLine, AUTHORIZATION)).outcome).toEqual([404, 'REQ::NOT_FOUND']);
});

it('HEAD does not acknowledge messages', async () => {
  const { status, head } = await send('HEAD /api/v1/message?fqcn=a', AUTHORIZATION);
  expect([status, /allow: (.*)\r/i.exec(head)?.[1]]).toEqual([405, 'GET, POST']);
});

it.each(['fqcn=', 'fqcn=a&amount=', 'fqcn=a&from=', 'fqcn=a&clientId='])(
  'the query %s has no value',
  async (query) => {
    const { outcome, body } = await send(`GET /api/v1/message?${query}`, AUTHORIZATION);
    expect(outcome).toEqual([400, 'REQ::INVALID_REQUEST']);
    const [, field] = /(\w+)=$/.exec(query) ?? [];
    expect(JSON.parse(body)).toMatchObject({ err: { additionalInformation: [{ field }] } });
  },
);

it.each(['*/*', 'text/html', 'application/yaml;q=0'])(
  'the interface files have the media type of RFC 9512, which has no charset, for Accept: %s',
  async (accept) => {
    for (const name of ['rest.yaml', 'ws.yaml']) {
      const { status, head, body } = await send(`GET /api/v1/docs/${name}`, `accept: ${accept}\r\n`);
      const withoutBody = await send(`HEAD /api/v1/docs/${name}`, `accept: ${accept}\r\n`);
      expect([status, withoutBody.status]).toEqual([200, 200]);
      for (const each of [head, withoutBody.head]) {
        expect(each).toMatch(/content-type: application\/yaml\r/i);
        expect(each).toMatch(new RegExp(`content-length: ${body.length}\r`, 'i'));
      }
    }
  },
);

describe('a body', () => {
  const message = '{"fqcn":"a","payload":"b"}';

  it.each([
    ['text', 'text/plain', message],
    ['a form', 'application/x-www-form-urlencoded', 'fqcn=a&payload=b'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['another type of JSON', 'application/vnd.api+json', message],
    ['without a type', '', message],
  ])('that is %s is refused by every operation with a body', async (_name, type, body) => {
    for (const path of ['/api/v1/message', '/api/v1/config/identity', '/api/v1/verifysignature']) {
      expect((await sendBody(path, type, body)).outcome).toEqual([415, 'REQ::UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each([
    ['is not UTF-8', Buffer.from('{"fqcn":"a","payload":"\xff\xfe"}', 'latin1')],
    ['is compressed', Buffer.from([0x1f, 0x8b, 0x08, 0x00])],
    ['sets a prototype', '{"__proto__":{"a":1},"fqcn":"a","payload":"b"}'],
    ['has null for a required field', '{"fqcn":null,"payload":"b"}'],
  ])('that %s is refused', async (_name, body) => {
    const { outcome } = await sendBody('/api/v1/message', 'application/json', body);
    expect(outcome).toEqual([400, 'REQ::INVALID_REQUEST']);
  });

  it.each(['/api/v1/message', '/api/v1/config/enrol'])('of 17 MB for %s is refused', async (path) => {
    const headers = `${AUTHORIZATION}content-type: application/json\r\ncontent-length: 17000000\r\n`;
    expect((await send(`POST ${path}`, headers)).outcome).toEqual([413, 'REQ::TOO_LARGE']);
  });
});

/** Document 002: the request of this operation is "none". */
describe('a body of an enrolment', () => {
  const ENROL = '/api/v1/config/enrol';
  /** The operation was reached: it fails because there is no identity. */
  const REACHED = [400, 'ID::NO_PRIVATE_KEY'];

  it.each([
    ['JSON', 'application/json', '{}'],
    ['invalid JSON', 'application/json', '{"a":'],
    ['JSON in another character set', 'application/json; charset=utf-16', Buffer.from('{}', 'utf16le')],
    ['a form', 'application/x-www-form-urlencoded', 'a=b'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['of a malformed type', ';;', 'x'],
    ['without a type', '', 'x'],
    ['of 16 MiB', 'application/octet-stream', Buffer.alloc(16_777_216)],
  ])('that is %s is ignored', async (_name, type, body) => {
    expect((await sendBody(ENROL, type, body)).outcome).toEqual(REACHED);
  });

  it.each([
    ['encoded', 'content-encoding: gzip\r\ncontent-length: 1\r\n', 'x'],
    ['in chunks', 'content-type: text/csv\r\ntransfer-encoding: chunked\r\n', '1\r\nx\r\n0\r\n\r\n'],
    ['in chunks and empty', 'transfer-encoding: chunked\r\n', '0\r\n\r\n'],
    ['empty and has a type', 'content-type: text/plain\r\ncontent-length: 0\r\n', ''],
    ['absent', '', ''],
  ])('that is %s is ignored', async (_name, headers, body) => {
    expect((await send(`POST ${ENROL}`, AUTHORIZATION + headers, body)).outcome).toEqual(REACHED);
  });

  it('is not taken for the next request of the connection', async () => {
    const health = `GET /api/health HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`;
    const enrol = `POST ${ENROL} HTTP/1.1\r\n${HOST}${AUTHORIZATION}content-type: text/plain\r\n`;
    const { body } = await sendRaw(
      gateway,
      `${enrol}content-length: ${health.length}\r\n\r\n${health}${health}`,
    );
    // Health needs no credentials.
    expect(body.match(/HTTP\/1\.1 \d+|[A-Z]+::[A-Z_]+/g)).toEqual([
      'ID::NO_PRIVATE_KEY',
      'HTTP/1.1 502',
      'BUS::REQUEST_FAILED',
    ]);
  });

  it.each(['http://evil.example', 'null'])(
    'and an enrolment without one are refused to a page of %s, before its credentials',
    async (origin) => {
      for (const authorization of [AUTHORIZATION, '']) {
        const { outcome } = await send(`POST ${ENROL}`, `${authorization}origin: ${origin}\r\n`);
        expect(outcome).toEqual([403, 'REQ::FORBIDDEN']);
      }
    },
  );
});

describe('an upgrade', () => {
  const KEY = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const upgrade = (requestLine: string, to: string, headers: string) =>
    `${requestLine} HTTP/1.1\r\n${HOST}connection: Upgrade, HTTP2-Settings\r\nupgrade: ${to}\r\n${headers}\r\n`;

  it('to an unknown protocol is ignored, and the request is served', async () => {
    // The default of the HTTP client in Java's standard library.
    const settings = 'http2-settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n';
    // The connection stays open until the second request ends it.
    const second = `GET /api/v1/docs/ws.yaml HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`;
    const response = await sendRaw(gateway, upgrade('GET /api/v1/docs/ws.yaml', 'h2c', settings) + second);
    expect(response.status).toBe(200);
    expect(response.body.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  });

  it.each([
    ['without a key', 'GET /events', 'sec-websocket-version: 13\r\n', 400],
    ['of another version', 'GET /events', `sec-websocket-version: 9\r\n${KEY}`, 400],
    ['by POST', 'POST /events', `sec-websocket-version: 13\r\n${KEY}`, 400],
    ['at another address', 'GET /api/v1/channels', `sec-websocket-version: 13\r\n${KEY}`, 404],
  ])('to a WebSocket %s is refused with an error object', async (_name, requestLine, headers, status) => {
    const response = await sendRaw(gateway, upgrade(requestLine, 'websocket', AUTHORIZATION + headers));
    expect(response.status).toBe(status);
    expect(response.head).toMatch(/sec-websocket-version: 13/i);
    expect(getErrorCode(response)).toMatch(/^REQ::/);
  });

  it.each([
    ['https://evil.example', AUTHORIZATION, 403],
    ['https://evil.example', '', 403],
    ['null', '', 403],
    ['not an origin', '', 403],
    // The gateway's own pages, and a listed origin.
    [`http://${/host: *(\S+)/i.exec(HOST)?.[1]}`, '', 401],
    ['https://console.example', '', 401],
  ])('with the origin %s and the credentials "%s" gets %i', async (origin, authorization, status) => {
    const headers = `origin: ${origin}\r\n${authorization}`;
    const response = await sendRaw(gateway, upgrade('GET /events', 'websocket', headers));
    expect(response.status).toBe(status);
    expect(/www-authenticate/i.test(response.head)).toBe(status === 401);
  });
});

it('connections above the limit are closed, and accepted again when others end', async () => {
  const small = await startGateway('http://127.0.0.1:9', { MAX_CONNECTIONS: '10' });
  try {
    const requestFile = `GET /api/v1/docs/ws.yaml HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`;
    const getStatus = async () => (await sendRaw(small, requestFile).catch(() => undefined))?.status;
    const port = Number(new URL(small.url).port);
    const idle = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect(await getStatus()).not.toBe(200);
    for (const socket of idle) socket.destroy();
    await waitFor('a connection is accepted', async () => (await getStatus()) === 200);
  } finally {
    await small.stop();
  }
});
