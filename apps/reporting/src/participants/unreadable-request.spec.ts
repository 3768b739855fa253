import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { refuseUnreadable } from './unreadable-request.js';

const read: RequestListener = (_request, response) => response.end('read');
const server = createServer(read);
/** Has no time for whoever does not come to an end. */
const hurried = createServer(
  { connectionsCheckingInterval: 10, headersTimeout: 50, requestTimeout: 50 },
  read,
);

beforeAll(async () => {
  for (const each of [server, hurried]) {
    refuseUnreadable(each);
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  }
});

afterAll(() => {
  for (const each of [server, hurried]) {
    each.closeAllConnections();
    each.close();
  }
});

/** All that is answered to these bytes, until the server ends the connection. */
async function answerTo(bytes: string, asked: Server): Promise<string> {
  const socket = connect((asked.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  const answer = await text(socket);
  socket.destroy();
  return answer;
}

const HEAD = 'GET / HTTP/1.1\r\nhost: x\r\n';

it.each([
  ['no HTTP', 'GARBAGE\r\n\r\n', 400],
  ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
  ['a length and chunks', `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
  ['headers of more than 16 KiB', `${HEAD}x: ${'a'.repeat(16 * 1024)}\r\n\r\n`, 431],
  ['an address of more than 16 KiB', `GET /${'a'.repeat(16 * 1024)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
  ['headers without end', HEAD, 408],
])('answers %s with problem+json and ends the connection', async (_what, bytes, status) => {
  const asked = status === 408 ? hurried : server;
  const [head = '', body = ''] = (await answerTo(bytes, asked)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain('content-type: application/problem+json');
  expect(head).toContain('connection: close');
  expect(JSON.parse(body)).toEqual({
    type: 'about:blank',
    title: expect.any(String),
    status,
    detail: expect.any(String),
  });
});

it('passes over an expectation that it does not know', async () => {
  const answer = await answerTo(`${HEAD}expect: a miracle\r\nconnection: close\r\n\r\n`, server);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});
