import { startTestRedis, type TestRedis } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { answerToHead, closedAfter } from './support/raw-request.js';
import { startBroker, type TestBroker } from './support/test-broker.js';

/** The broker holds nothing large, and nothing for long, for a client without permissions. */
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

describe('a body', () => {
  it.each([
    ['POST', '/message'],
    ['POST', '/channel'],
    ['PATCH', '/channel'],
    ['POST', '/role/claim'],
  ])('of an unauthenticated client is not read at %s %s', async (method, path) => {
    const head = [`${method} ${path} HTTP/1.1`, JSON_TYPE, 'Content-Length: 1000'];
    expect(await answerToHead(broker.url, head)).toBe(401);
    expect(await answerToHead(broker.url, [...head, 'Authorization: Bearer a.b.c'])).toBe(401);
  });

  it.each([
    ['/message', 'Content-Length: 65537'],
    ['/message', 'Transfer-Encoding: chunked'],
    ['/channel', 'Content-Length: 65537'],
  ])('at %s with %s is not read from a client that is not enrolled', async (path, size) => {
    const client = new Client(broker.url, new Actor());
    const { token } = await client.login();
    const head = [`POST ${path} HTTP/1.1`, JSON_TYPE, size, `Authorization: Bearer ${token}`];
    expect(await answerToHead(broker.url, head)).toBe(403);
  });

  it('with a content coding is refused with the accepted codings', async () => {
    const head = ['POST /auth/login HTTP/1.1', JSON_TYPE, 'Content-Encoding: gzip', 'Content-Length: 2'];
    expect(await answerToHead(broker.url, head)).toBe(415);
    const answer = await fetch(`${broker.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'br' },
      body: '{}',
    });
    expect([answer.headers.get('accept-encoding'), await answer.json()]).toEqual([
      'identity',
      { err: { code: 'BUS::UNSUPPORTED_MEDIA_TYPE', reason: expect.stringContaining('Content-Encoding') } },
    ]);
  });

  it.each([
    ['a user', () => user(broker.url, new Actor())],
    ['a channel creator', () => creator(broker.url)],
  ])('is read at its full size from %s', async (_, enter) => {
    const client = await enter();
    const answer = await client.call('POST', '/message', { fqcn: 'x'.repeat(100_000) });
    expect([answer.status, answer.body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
  });
});

describe('a refused upgrade', () => {
  const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket'];

  it.each(['//', '/stream/', 'http://[', '/%zz', '*'])('at %s is a 404', async (path) => {
    expect(await answerToHead(broker.url, [`GET ${path} HTTP/1.1`, ...UPGRADE])).toBe(404);
  });

  it('closes the connection, also when the client keeps its side open', async () => {
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
