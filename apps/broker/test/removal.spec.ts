import { startTestNats, startTestRedis, type TestNats, type TestRedis, waitFor } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { creator, makeChannel, user } from './support/client.js';
import { startBroker, type TestBroker } from './support/test-broker.js';

/** Channels are in Redis and their messages in NATS, and one of them may be stopped while a channel is removed. */
let redis: TestRedis;
let nats: TestNats;
let broker: TestBroker;

beforeAll(async () => {
  [redis, nats] = await Promise.all([startTestRedis(), startTestNats()]);
  broker = await startBroker(redis.url, { LOG_ENGINE: 'nats', NATS_URL: nats.url, NATS_TIMEOUT_MS: '4000' });
});

afterAll(async () => {
  try {
    await broker.close();
  } finally {
    await Promise.all([redis.stop(), nats.stop()]);
  }
});

it('removes a channel with its messages, or neither', async () => {
  const [owner, reader] = await Promise.all([creator(broker.url), user(broker.url, new Actor())]);
  const fqcn = await makeChannel(broker.url);
  const sent = { correlationId: 'c' };
  const first = await reader.post(fqcn, 'of the first', sent);
  expect(first.status).toBe(201);
  await nats.kill();
  expect(await owner.call('DELETE', `/channel/${fqcn}`)).toMatchObject({
    status: 503,
    body: { err: { code: 'BUS::UNHEALTHY' } },
  });
  expect((await owner.call('GET', `/channel/${fqcn}`)).status).toBe(200);
  await nats.start();
  await waitFor('the removal', async () => (await owner.call('DELETE', `/channel/${fqcn}`)).status === 204);
  expect((await owner.call('POST', '/channel', { fqcn })).status).toBe(201);
  const again = await reader.post(fqcn, 'of the second', sent);
  expect(again.status).toBe(201);
  const { body } = await reader.read(fqcn);
  expect(body.map(({ payload }) => payload)).toEqual(['of the second']);
});
