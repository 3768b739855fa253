import { startTestRedis, type TestRedis } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { answerToHead, closedAfter } from './support/raw-request.js';
import { startBroker, type TestBroker } from './support/test-broker.js';

/** What a stranger can make the broker hold: nothing that is large, and nothing for long. */
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

const JSON_TYPE = 'Content-Type: application/json';

describe('a body is asked for', () => {
  it.each([
    ['POST', '/message'],
    ['POST', '/channel'],
    ['PATCH', '/channel'],
    ['POST', '/role/claim'],
  ])('of no stranger at %s %s', async (method, path) => {
    const head = [`${method} ${path} HTTP/1.1`, JSON_TYPE, 'Content-Length: 1000'];
    expect(await answerToHead(broker.url, head)).toBe(401);
    expect(await answerToHead(broker.url, [...head, 'Authorization: Bearer a.b.c'])).toBe(401);
  });

  it.each([
    ['/message', 'Content-Length: 65537'],
    ['/message', 'Transfer-Encoding: chunked'],
    ['/channel', 'Content-Length: 65537'],
  ])('at %s with %s of nobody who merely has a key', async (path, size) => {
    const client = new Client(broker.url, new Actor());
    const { token } = await client.login();
    const head = [`POST ${path} HTTP/1.1`, JSON_TYPE, size, `Authorization: Bearer ${token}`];
    expect(await answerToHead(broker.url, head)).toBe(403);
  });

  it.each([
    ['a user', () => user(broker.url, new Actor())],
    ['a creator of channels', () => creator(broker.url)],
  ])('at its full size of %s', async (_, enter) => {
    const client = await enter();
    const answer = await client.call('POST', '/message', { fqcn: 'x'.repeat(100_000) });
    expect([answer.status, answer.body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
  });
});

describe('an upgrade that is refused', () => {
  const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

  it.each(['//', '/stream/', 'http://[', '/%zz', '*'])('at %s is a 404', async (path) => {
    expect(await answerToHead(broker.url, [`GET ${path} HTTP/1.1`, ...UPGRADE])).toBe(404);
  });

  it('leaves no connection behind, though the client keeps its side open', async () => {
    await expect(closedAfter(broker.url, ['GET /stream HTTP/1.1', ...UPGRADE])).resolves.toBeUndefined();
  });
});

it('HEAD moves no position', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  await client.post(fqcn, 'a');
  expect((await client.call('HEAD', `/message?fqcn=${fqcn}`)).status).toBe(405);
  expect((await client.read(fqcn)).body).toHaveLength(1);
});
