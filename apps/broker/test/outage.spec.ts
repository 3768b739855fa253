import type { MessageOutcome } from '@ssb/bus';
import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { ISSUER, startBroker, useBroker, USER_ROLE } from './support/test-broker.js';
import { TestStream, useStreams } from './support/test-stream.js';

const { redis, broker } = useBroker({ REDIS_TIMEOUT_MS: '4000' });
const open = useStreams();

async function subscribed(client: Client, fqcn: string): Promise<TestStream> {
  const stream = await open(client);
  await stream.subscribe([fqcn]);
  return stream;
}

async function healthy(): Promise<void> {
  const client = new Client(broker.url, ISSUER);
  await waitFor('a healthy broker', async () => (await client.call('GET', '/health')).status === 200);
}

describe('when Redis is stopped', () => {
  it('an open stream stays, loses nothing and continues from the acknowledged offset', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const stream = await subscribed(client, fqcn);
    await client.post(fqcn, 'before');
    await stream.received(['before']);
    await redis.kill();
    // Acknowledged while it cannot be stored.
    stream.acknowledge(...stream.messages);
    await redis.start();
    await healthy();
    await client.post(fqcn, 'after');
    await stream.received(['before', 'after']);
    expect(stream.payloads).toEqual(['before', 'after']);
    await stream.close();
    const again = await subscribed(client, fqcn);
    await again.received(['after']);
    expect(again.payloads).toEqual(['after']);
  });

  it('a message from another broker is pushed, also when it is sent before this one subscribes again', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const stream = await subscribed(client, fqcn);
    const before = stream.frames.length;
    for (let round = 0; round < 2; round += 1) {
      await redis.restart();
      const other = await startBroker(redis.url);
      const elsewhere = new Client(other.url, client.actor);
      await elsewhere.login();
      expect((await elsewhere.post(fqcn, String(round))).status).toBe(201);
      await other.close();
    }
    await waitFor('both messages', () => stream.payloads.length >= 2);
    expect(stream.payloads).toEqual(['0', '1']);
    expect(stream.frames.length).toBeGreaterThan(before);
  });
});

describe('when Redis is full', () => {
  it('the broker is unhealthy but ready: it serves readers, and refuses messages with the reason', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    await client.post(fqcn, 'a');
    const commands = connectRedis(redis.url, { name: 'test' });
    await commands.config('SET', 'maxmemory', '1');
    try {
      const full = {
        status: 503,
        body: { err: { additionalInformation: { message: expect.stringMatching(/OOM/) } } },
      };
      expect(await client.post(fqcn, 'b')).toMatchObject(full);
      expect(await client.call('GET', '/health')).toMatchObject(full);
      expect((await fetch(`${broker.managementUrl}/health/ready`)).status).toBe(200);
      expect(
        (await client.read(fqcn, { from: '2020-01-01T00:00:00Z' })).body.map(({ payload }) => payload),
      ).toEqual(['a']);
    } finally {
      await commands.config('SET', 'maxmemory', '0');
      commands.disconnect();
    }
    await healthy();
  });
});

it('when Redis has lost everything, access ends, and roles and channels can be created again without a restart', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  await client.post(fqcn, 'a');
  const commands = connectRedis(redis.url, { name: 'test' });
  await commands.flushall();
  commands.disconnect();
  // Publishing works for a second more by the cache; reading checks Redis.
  expect((await client.read(fqcn)).body).toMatchObject({ err: { code: 'BUS::FORBIDDEN_RESOURCE' } });
  await client.decide(USER_ROLE, 'approve');
  await (await creator(broker.url)).call('POST', '/channel', { fqcn });
  expect((await client.post(fqcn, 'b')).status).toBe(201);
  expect((await client.read(fqcn)).body.map(({ payload }) => payload)).toEqual(['b']);
});

it('closes its streams at shutdown after acknowledged offsets are stored', async () => {
  const stopping = await startBroker(redis.url);
  const client = await user(stopping.url, new Actor());
  const fqcn = await makeChannel(stopping.url);
  await client.post(fqcn, 'a');
  await client.post(fqcn, 'b');
  const stream = await TestStream.open(stopping.url, client.token);
  await stream.subscribe([fqcn]);
  await stream.received(['a', 'b']);
  const [first] = stream.messages;
  if (!first) throw new Error('no message');
  stream.acknowledge(first);
  const closed = new Promise<number>((resolve) => stream.socket.once('close', resolve));
  // Frames are processed in order, so the acknowledgement is processed before the shutdown.
  stream.send({ type: 'subscribe', subscription: 'x', clientId: 'x', fqcn: ['unknown'], window: 1 });
  await stream.next('error');
  await stopping.close();
  expect(await closed).toBe(1001);
  const elsewhere = new Client(broker.url, client.actor);
  await elsewhere.login();
  const again = await subscribed(elsewhere, fqcn);
  await again.received(['b']);
  expect(again.payloads).toEqual(['b']);
});

it('when Redis is stopped, messages of a batch are each refused, and stored once when they are sent again', async () => {
  const sender = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  const messages = ['a', 'b', 'c'].map((payload) => {
    return { fqcn, payload, correlationId: payload, signature: sender.actor.sign(payload) };
  });
  const post = () => sender.call<MessageOutcome[]>('POST', '/messages', messages);
  await redis.kill();
  const refused = await post();
  await redis.start();
  const unhealthy = { status: 503, err: { code: 'BUS::UNHEALTHY' } };
  expect(refused).toMatchObject({ status: 200, body: [unhealthy, unhealthy, unhealthy] });
  const accepted = await waitFor('all messages to be accepted', async () => {
    const { body } = await post();
    return body.every((outcome) => 'id' in outcome) && body;
  });
  expect((await post()).body).toEqual(accepted);
  const { body } = await sender.read(fqcn, { from: '2026-01-01T00:00:00Z' });
  expect(body.map(({ payload }) => payload).sort()).toEqual(['a', 'b', 'c']);
});
