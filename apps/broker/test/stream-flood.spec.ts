import { MAX_NAMED_CHANNELS } from '@ssb/bus';
import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { once } from 'node:events';
import { Actor } from './support/actor.js';
import { Client, makeChannel, user } from './support/client.js';
import { startBroker, type TestBroker } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

let redis: TestRedis;
let commands: Redis;
let broker: TestBroker;
let stream: TestStream | undefined;

beforeAll(async () => {
  redis = await startTestRedis();
  commands = connectRedis(redis.url, { name: 'test' });
  broker = await startBroker(redis.url, { REDIS_TIMEOUT_MS: '60000' });
});

afterEach(async () => {
  await stream?.close();
});

afterAll(async () => {
  commands.disconnect();
  try {
    await broker.close();
  } finally {
    await redis.stop();
  }
});

const NAMES = Array.from(
  { length: MAX_NAMED_CHANNELS },
  (_, index) => `unknown-${index}.channels.messagebus.apps.bridge.iam.local`,
);

async function open(client: Client): Promise<TestStream> {
  stream = await TestStream.open(client.url, client.token);
  return stream;
}

/** Channels that brokers have looked up in Redis; each look-up reads a version. */
async function countLookUps(): Promise<number> {
  const calls = /cmdstat_hget:calls=(\d+)/.exec(await commands.info('commandstats'))?.[1];
  return Number(calls ?? 0);
}

/** Resolves once the broker has read every frame so far. */
async function waitUntilRead({ socket }: TestStream): Promise<void> {
  socket.ping();
  await once(socket, 'pong');
}

describe('a flood of subscriptions', () => {
  it('looks up no channel for a client that is not enrolled', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const flood = await open(notEnrolled);
    const before = await countLookUps();
    for (let count = 0; count < 20; count += 1) {
      flood.send({
        type: 'subscribe',
        subscription: `s${count}`,
        clientId: 'c',
        fqcn: NAMES,
        window: 1,
      });
    }
    const last = await flood.next('error', 20);
    expect(last.err.code).toBe('BUS::FORBIDDEN_RESOURCE');
    expect(await countLookUps()).toBe(before);
  });

  it('looks up nothing for subscriptions that another of the same name replaced', async () => {
    const flood = await open(await user(broker.url, new Actor()));
    const before = await countLookUps();
    redis.pause();
    try {
      for (let count = 0; count < 20; count += 1) {
        flood.send({ type: 'subscribe', subscription: 's', clientId: 'c', fqcn: NAMES, window: 1 });
      }
      await waitUntilRead(flood);
    } finally {
      redis.resume();
    }
    const { err } = await flood.next('error');
    expect(err.code).toBe('BUS::CHANNEL_NOT_FOUND');
    // Those of the first, which was in flight, and of the last.
    expect((await countLookUps()) - before).toBeLessThanOrEqual(2 * MAX_NAMED_CHANNELS);
  });

  it('is not read further while many wait, and is answered in the end', async () => {
    const notEnrolled = new Client(broker.url, new Actor());
    await notEnrolled.login();
    const flood = await open(notEnrolled);
    await waitUntilRead(flood);
    const count = 900;
    const fqcn = NAMES.slice(0, 20);
    let ponged = false;
    flood.socket.once('pong', () => (ponged = true));
    redis.pause();
    try {
      for (let index = 0; index < count; index += 1) {
        flood.send({ type: 'subscribe', subscription: `s${index}`, clientId: 'c', fqcn, window: 1 });
      }
      flood.socket.ping();
      // A later stream sends several times as much. Sockets are read in turns, so an unpaused flood would be read first.
      const witness = await TestStream.open(broker.url, notEnrolled.token);
      const long = JSON.stringify({ type: 'unsubscribe', subscription: 's', padding: 'x'.repeat(10_000) });
      for (let index = 0; index < count; index += 1) witness.socket.send(long);
      await waitUntilRead(witness);
      await witness.close();
      expect(ponged).toBe(false);
    } finally {
      redis.resume();
    }
    await flood.next('error', count);
    await waitFor('the pong', () => ponged);
    expect(ponged).toBe(true);
  });
});

describe('many subscriptions of an unread stream', () => {
  it('make the broker read a few pages ahead, not one for each, and all arrive in the end', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url, { maxMsgSize: 8_388_608 });
    const unread = await open(client);
    const count = 20;
    for (let index = 0; index < count; index += 1) {
      const name = `s${index}`;
      unread.send({ type: 'subscribe', subscription: name, clientId: name, fqcn: [fqcn], window: 1 });
    }
    await unread.next('subscribed', count);
    const witness = await TestStream.open(client.url, client.token);
    await witness.subscribe([fqcn]);
    unread.socket.pause();
    const payload = 'x'.repeat(2_000_000);
    const before = await countSentBytes();
    await client.post(fqcn, payload);
    // The witness is notified last, so the others have sent their reads before it.
    await witness.next('messages');
    await witness.close();
    // One page for the witness, two at a time for the others, and what the system's buffers may have taken.
    expect((await countSentBytes()) - before).toBeLessThan(10 * payload.length);
    unread.socket.resume();
    await unread.next('messages', count);
  });
});

/** Bytes that Redis has sent to its clients. */
async function countSentBytes(): Promise<number> {
  return Number(/total_net_output_bytes:(\d+)/.exec(await commands.info('stats'))?.[1]);
}
