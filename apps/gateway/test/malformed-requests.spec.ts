import { freePort } from '@ssb/dev/free-ports';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { sendRaw, AUTHORIZATION, getErrorCode, HOST, CONNECTION_CLOSE } from './support/raw-http.js';

/** Bytes that are not a request, and bodies that are not JSON, without a broker. */
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway(`http://127.0.0.1:${await freePort()}`);
});

afterAll(() => gateway?.stop());

it('a malformed request is answered with an error object', async () => {
  const response = await sendRaw(gateway, 'GARBAGE\r\n\r\n');
  expect([response.status, getErrorCode(response)]).toEqual([400, 'REQ::INVALID_REQUEST']);
  expect(response.head).toMatch(/content-type: application\/json/i);
});

describe('a body', () => {
  const post = (path: string, type: string, body: string | Buffer, more = '') => {
    const bytes = Buffer.from(body);
    const head =
      `POST ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${CONNECTION_CLOSE}${more}` +
      `${type && `content-type: ${type}\r\n`}content-length: ${bytes.length}\r\n\r\n`;
    return sendRaw(gateway, Buffer.concat([Buffer.from(head), bytes]));
  };
  const message = '{"fqcn":"a","payload":"b"}';

  it.each([
    ['text', 'text/plain', message],
    ['a form', 'application/x-www-form-urlencoded', 'fqcn=a&payload=b'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['another type of JSON', 'application/vnd.api+json', message],
    ['without a type', '', message],
  ])('that is %s is refused by every operation with a body', async (_name, type, body) => {
    for (const path of ['/api/v1/message', '/api/v1/config/identity', '/api/v1/verifysignature']) {
      const answer = await post(path, type, body);
      expect([answer.status, getErrorCode(answer)]).toEqual([415, 'REQ::UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each([
    ['is not UTF-8', Buffer.from('{"fqcn":"a","payload":"\xff\xfe"}', 'latin1')],
    ['is compressed', Buffer.from([0x1f, 0x8b, 0x08, 0x00])],
    ['sets a prototype', '{"__proto__":{"a":1},"fqcn":"a","payload":"b"}'],
    ['has null for a required field', '{"fqcn":null,"payload":"b"}'],
  ])('that %s is refused', async (_name, body) => {
    const answer = await post('/api/v1/message', 'application/json', body);
    expect([answer.status, getErrorCode(answer)]).toEqual([400, 'REQ::INVALID_REQUEST']);
  });

  it('of 17 MB is refused before it is sent, and without credentials before its size is checked', async () => {
    const head = (more: string) =>
      `POST /api/v1/message HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}${more}content-type: application/json\r\ncontent-length: 17000000\r\n\r\n`;
    const large = await sendRaw(gateway, head(AUTHORIZATION));
    expect([large.status, getErrorCode(large)]).toEqual([413, 'REQ::TOO_LARGE']);
    expect((await sendRaw(gateway, head(''))).status).toBe(401);
  });
});

/** Document 002: the request of this operation is "none". */
describe('a body of an enrolment', () => {
  const enrol = (headers: string, body: string | Buffer = '') => {
    const head = `POST /api/v1/config/enrol HTTP/1.1\r\n${HOST}${headers}`;
    return sendRaw(gateway, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
  };
  const withBody = (type: string, body: string | Buffer, more = '') =>
    enrol(
      `${AUTHORIZATION}${CONNECTION_CLOSE}${more}${type && `content-type: ${type}\r\n`}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
      body,
    );
  /** The operation was reached: it fails because there is no identity. */
  const REACHED = [400, 'ID::NO_PRIVATE_KEY'];

  it.each([
    ['JSON', 'application/json', '{}'],
    ['invalid JSON', 'application/json', '{"a":'],
    ['JSON in another character set', 'application/json; charset=utf-16', Buffer.from('{}', 'utf16le')],
    ['text', 'text/plain', 'enrol'],
    ['a form', 'application/x-www-form-urlencoded', 'a=b'],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x--'],
    ['of a malformed type', ';;', 'x'],
    ['without a type', '', 'x'],
    ['of 16 MiB', 'application/octet-stream', Buffer.alloc(16_777_216)],
  ])('that is %s is ignored', async (_name, type, body) => {
    const answer = await withBody(type, body);
    expect([answer.status, getErrorCode(answer)]).toEqual(REACHED);
  });

  it.each([
    ['encoded', 'content-encoding: gzip\r\ncontent-length: 1\r\n\r\nx'],
    ['in chunks', 'content-type: text/csv\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
    ['in chunks and empty', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['empty and has a type', 'content-type: text/plain\r\ncontent-length: 0\r\n\r\n'],
    ['absent', '\r\n'],
  ])('that is %s is ignored', async (_name, rest) => {
    const answer = await enrol(`${AUTHORIZATION}${CONNECTION_CLOSE}${rest}`);
    expect([answer.status, getErrorCode(answer)]).toEqual(REACHED);
  });

  it('is not taken for the next request of the connection', async () => {
    const health = `GET /api/health HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`;
    const { body } = await enrol(
      `${AUTHORIZATION}content-type: text/plain\r\ncontent-length: ${health.length}\r\n\r\n`,
      health + health,
    );
    expect(body.match(/HTTP\/1\.1 \d+|[A-Z]+::[A-Z_]+/g)).toEqual([
      'ID::NO_PRIVATE_KEY',
      'HTTP/1.1 502',
      'BUS::REQUEST_FAILED',
    ]);
  });

  it('is refused above the limit of every body', async () => {
    const answer = await enrol(`${AUTHORIZATION}${CONNECTION_CLOSE}content-length: 17000000\r\n\r\n`);
    expect([answer.status, getErrorCode(answer)]).toEqual([413, 'REQ::TOO_LARGE']);
  });

  it.each(['http://evil.example', 'null'])(
    'and an enrolment without one are refused to a page of %s, before its credentials',
    async (origin) => {
      for (const authorization of [AUTHORIZATION, '']) {
        const answer = await enrol(`${authorization}${CONNECTION_CLOSE}origin: ${origin}\r\n\r\n`);
        expect([answer.status, getErrorCode(answer)]).toEqual([403, 'REQ::FORBIDDEN']);
      }
    },
  );
});

describe('an address', () => {
  const send = (method: string, path: string) =>
    sendRaw(gateway, `${method} ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${CONNECTION_CLOSE}\r\n`);

  it.each([
    ['PUT', '/api/v1/message'],
    ['DELETE', '/api/v1/message'],
    ['PATCH', '/api/health'],
    ['OPTIONS', '/api/v1/message'],
    ['TRACE', '/api/v1/channels'],
    ['GET', '/api/v1/channels/'],
    ['GET', '/API/v1/channels'],
    ['GET', '/api//v1/channels'],
    ['GET', '/api/v1/config'],
    ['GET', '/events'],
    ['GET', '/health/live'],
    ['GET', '/health/ready'],
    ['GET', '/health'],
    ['GET', '/metrics'],
  ])('%s %s is not found', async (method, path) => {
    const answer = await send(method, path);
    expect([answer.status, getErrorCode(answer)]).toEqual([404, 'REQ::NOT_FOUND']);
  });
});
