import { freePort } from '@ssb/free-ports';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { answerTo, AUTHORIZATION, codeOf, HOST, LAST } from './support/raw-http.js';

/** What is seen on the wire alone: bytes that are no request, and bodies that are no JSON. No broker is needed. */
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway(`http://127.0.0.1:${await freePort()}`);
});

afterAll(() => gateway?.stop());

describe('what is no request', () => {
  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a method that HTTP does not have', `FOO /api/health HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a length that is none', `POST /api/v1/message HTTP/1.1\r\n${HOST}content-length: abc\r\n\r\n`, 400],
    [
      'a length and chunks',
      `POST /api/v1/message HTTP/1.1\r\n${HOST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
      400,
    ],
    [
      'headers of more than 16 KiB',
      `GET /api/health HTTP/1.1\r\n${HOST}x: ${'x'.repeat(16_384)}\r\n\r\n`,
      431,
    ],
    ['no host', `GET /api/health HTTP/1.1\r\n${LAST}\r\n`, 400],
    ['two hosts', `GET /api/health HTTP/1.1\r\n${HOST}${HOST}${LAST}\r\n`, 400],
  ])('%s is answered with an error object', async (_name, bytes, status) => {
    const answer = await answerTo(gateway, bytes);
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/content-type: application\/json/i);
    expect(codeOf(answer)).toBe('REQ::INVALID_REQUEST');
  });

  it('is not one of HTTP/1.0, which has no Host', async () => {
    // Nobody listens where this gateway's broker should be.
    expect((await answerTo(gateway, 'GET /api/health HTTP/1.0\r\n\r\n')).status).toBe(502);
  });

  it('is not one with an expectation that nobody knows', async () => {
    const answer = await answerTo(
      gateway,
      `GET /health/live HTTP/1.1\r\n${HOST}${LAST}expect: a miracle\r\n\r\n`,
    );
    expect(answer.status).toBe(200);
  });
});

describe('a body', () => {
  const post = (path: string, type: string, body: string | Buffer, more = '') => {
    const bytes = Buffer.from(body);
    const head =
      `POST ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${LAST}${more}` +
      `${type && `content-type: ${type}\r\n`}content-length: ${bytes.length}\r\n\r\n`;
    return answerTo(gateway, Buffer.concat([Buffer.from(head), bytes]));
  };
  const message = '{"fqcn":"a","payload":"b"}';

  it.each([
    ['text', 'text/plain', message],
    ['a form', 'application/x-www-form-urlencoded', 'fqcn=a&payload=b'],
    ['a form in parts', 'multipart/form-data; boundary=x', '--x--'],
    ['JSON of a kind that nobody knows', 'application/vnd.api+json', message],
    ['of no type', '', message],
  ])('that is %s is refused by every operation that takes one', async (_name, type, body) => {
    for (const path of ['/api/v1/message', '/api/v1/config/identity', '/api/v1/verifysignature']) {
      const answer = await post(path, type, body);
      expect([answer.status, codeOf(answer)]).toEqual([415, 'REQ::UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  it.each([
    ['as it is', 'application/json', message],
    ['with a charset', 'application/json; charset=utf-8', message],
    ['with a byte order mark', 'application/json', `\ufeff${message}`],
    [
      'with null for what is left out',
      'application/json',
      '{"fqcn":"a","payload":"b","topic":null,"transactionId":null}',
    ],
    ['with a field that is unknown', 'application/json', '{"fqcn":"a","payload":"b","more":1}'],
  ])('that is JSON is taken %s', async (_name, type, body) => {
    const answer = await post('/api/v1/message', type, body);
    // There is no identity yet: the message itself was in order.
    expect([answer.status, codeOf(answer)]).toEqual([401, 'BUS::LOGIN_FAILED']);
  });

  it.each([
    ['is no UTF-8', Buffer.from('{"fqcn":"a","payload":"\xff\xfe"}', 'latin1')],
    ['is packed', Buffer.from([0x1f, 0x8b, 0x08, 0x00])],
    ['would change every object', '{"__proto__":{"a":1},"fqcn":"a","payload":"b"}'],
    ['has null for what is required', '{"fqcn":null,"payload":"b"}'],
  ])('that %s is refused', async (_name, body) => {
    const answer = await post('/api/v1/message', 'application/json', body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'REQ::INVALID_REQUEST']);
  });

  it('of 17 MB is refused before it is sent, and one of a stranger is not even looked at', async () => {
    const head = (more: string) =>
      `POST /api/v1/message HTTP/1.1\r\n${HOST}${LAST}${more}content-type: application/json\r\ncontent-length: 17000000\r\n\r\n`;
    const large = await answerTo(gateway, head(AUTHORIZATION));
    expect([large.status, codeOf(large)]).toEqual([413, 'REQ::TOO_LARGE']);
    expect((await answerTo(gateway, head(''))).status).toBe(401);
  });
});

describe('an address', () => {
  const ask = (method: string, path: string) =>
    answerTo(gateway, `${method} ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}${LAST}\r\n`);

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
  ])('%s %s has nothing', async (method, path) => {
    const answer = await ask(method, path);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'REQ::NOT_FOUND']);
  });

  it.each([
    ['/api/v1/docs/rest.yaml', 200],
    ['/health/live', 200],
    ['/api/v1/channels', 403],
    ['/api/v1/message?fqcn=a', 405],
  ])('HEAD %s is GET without a body', async (path, status) => {
    const answer = await ask('HEAD', path);
    expect([answer.status, answer.body]).toEqual([status, '']);
  });
});
