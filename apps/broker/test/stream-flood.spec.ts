import { MAX_NAMED_CHANNELS } from '@ssb/bus';
import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { once } from 'node:events';
import { Actor } from './support/actor.js';
import { Client, makeChannel, user } from './support/client.js';
import { useBroker } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

let redisClient: Redis;
let stream: TestStream | undefined;
const { redis, broker } = useBroker({ REDIS_TIMEOUT_MS: '60000' });

beforeAll(async () => {
  redisClient = connectRedis(redis.url, { name: 'test' });
});

afterEach(async () => {
  await stream?.close();
});

afterAll(async () => {
  redisClient.disconnect();
});

const UNKNOWN_CHANNELS = Array.from(
  { length: MAX_NAMED_CHANNELS },
  (_, index) => `unknown-${index}.channels.messagebus.apps.bridge.iam.local`,
);

async function open(client: Client): Promise<TestStream> {
  stream = await TestStream.open(client.url, client.token);
  return stream;
}

/** Number of channels that the broker has looked up in Redis. Each lookup is one HGET. */
async function countLookups(): Promise<number> {
  const calls = /cmdstat_hget:calls=(\d+)/.exec(await redisClient.info('commandstats'))?.[1];
  return Number(calls ?? 0);
}

/** Resolves once the broker has read every frame that was sent before the call. */
async function waitUntilRead({ socket }: TestStream): Promise<void> {
  socket.ping();
  await once(socket, 'pong');
}

describe('a flood of subscriptions', () => {
  it('causes no channel lookup when the client is not enrolled', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const flood = await open(notEnrolled);
    const before = await countLookups();
    for (let count = 0; count < 20; count += 1) {
      flood.send({
        type: 'subscribe',
        subscription: `s${count}`,
        clientId: 'c',
        fqcn: UNKNOWN_CHANNELS,
        window: 1,
      });
    }
    const last = await flood.next('error', 20);
    expect(last.err.code).toBe('BUS::FORBIDDEN_RESOURCE');
    expect(await countLookups()).toBe(before);
  });

  it('causes no lookup for a subscription that a later one with the same name replaces', async () => {
    const flood = await open(await user(broker.url, new Actor()));
    const before = await countLookups();
    redis.pause();
    try {
      for (let count = 0; count < 20; count += 1) {
        flood.send({
          type: 'subscribe',
          subscription: 's',
          clientId: 'c',
          fqcn: UNKNOWN_CHANNELS,
          window: 1,
        });
      }
      await waitUntilRead(flood);
    } finally {
      redis.resume();
    }
    const { err } = await flood.next('error');
    expect(err.code).toBe('BUS::CHANNEL_NOT_FOUND');
    // Lookups of the first subscription, which was in flight, and of the last one.
    expect((await countLookups()) - before).toBeLessThanOrEqual(2 * MAX_NAMED_CHANNELS);
  });

  it('is not read further while many subscriptions are pending, and each gets its response later', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const flood = await open(notEnrolled);
    await waitUntilRead(flood);
    const count = 900;
    const fqcn = UNKNOWN_CHANNELS.slice(0, 20);
    let ponged = false;
    flood.socket.once('pong', () => (ponged = true));
    redis.pause();
    try {
      for (let index = 0; index < count; index += 1) {
        flood.send({ type: 'subscribe', subscription: `s${index}`, clientId: 'c', fqcn, window: 1 });
      }
      flood.socket.ping();
      // A later stream sends more bytes than the flood. Sockets are read in turn, so an unpaused flood would be read first.
      const other = await TestStream.open(broker.url, notEnrolled.token);
      const frame = JSON.stringify({ type: 'unsubscribe', subscription: 's', padding: 'x'.repeat(3_000) });
      for (let index = 0; index < count; index += 1) other.socket.send(frame);
      await waitUntilRead(other);
      await other.close();
      expect(ponged).toBe(false);
    } finally {
      redis.resume();
    }
    await flood.next('error', count);
    await waitFor('the pong', () => ponged);
    expect(ponged).toBe(true);
  });
});

describe('many subscriptions of a stream that the client does not read', () => {
  it('make the broker prefetch a few pages, not one for each subscription', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 8_388_608 });
    const unread = await open(client);
    const count = 12;
    for (let index = 0; index < count; index += 1) {
      const name = `s${index}`;
      unread.send({ type: 'subscribe', subscription: name, clientId: name, fqcn: [fqcn], window: 1 });
    }
    await unread.next('subscribed', count);
    const other = await TestStream.open(client.url, client.token);
    await other.subscribe([fqcn]);
    unread.socket.pause();
    const payload = 'x'.repeat(2_000_000);
    const before = await countSentBytes();
    await client.post(fqcn, payload);
    // The other stream is notified last, so the broker has requested the pages of the unread stream before that.
    await other.next('messages');
    await other.close();
    // One page of the other stream, two concurrent pages of the unread stream, and the pages in socket buffers.
    expect((await countSentBytes()) - before).toBeLessThan(10 * payload.length);
    unread.socket.resume();
    await unread.next('messages', count);
  });
});

/** Bytes that Redis has sent to its clients. */
async function countSentBytes(): Promise<number> {
  return Number(/total_net_output_bytes:(\d+)/.exec(await redisClient.info('stats'))?.[1]);
}
