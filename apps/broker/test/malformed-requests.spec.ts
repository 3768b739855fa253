import { startTestRedis, type TestRedis } from '@ssb/testing';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startBroker, type TestBroker } from './support/test-broker.js';

/** Bytes that are no HTTP request. */
let redis: TestRedis;
let broker: TestBroker;

beforeAll(async () => {
  redis = await startTestRedis();
  broker = await startBroker(redis.url);
});

afterAll(async () => {
  try {
    await broker.close();
  } finally {
    await redis.stop();
  }
});

/** The broker's answer to these bytes, until it closes the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(broker.url).port), '127.0.0.1');
  socket.write(bytes);
  const answer = await text(socket);
  socket.destroy();
  return answer;
}

const HOST = 'host: x\r\n';

it.each([
  ['no HTTP', 'GARBAGE\r\n\r\n'],
  ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['two hosts', `GET /health HTTP/1.1\r\n${HOST}${HOST}\r\n`],
  ['headers of more than 16 KiB', `GET /health HTTP/1.1\r\n${HOST}x: ${'x'.repeat(16_384)}\r\n\r\n`],
])('%s is answered with the error object', async (_what, bytes) => {
  const [head = '', body = ''] = (await answerTo(bytes)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 400 /);
  expect(head).toMatch(/^content-type: application\/json/im);
  expect(JSON.parse(body)).toEqual({ err: { code: 'BUS::INVALID_REQUEST', reason: expect.any(String) } });
});
