import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Actor } from './support/actor.js';
import { Client, makeChannel, user } from './support/client.js';
import { useBrokers } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

const CLIENTS = Array.from({ length: 20 }, (_, index) => `client-${index}`);
const { redis, broker, other } = useBrokers();

function subscribeAll(stream: TestStream, fqcn: string): void {
  for (const clientId of CLIENTS) {
    stream.send({ type: 'subscribe', subscription: clientId, clientId, fqcn: [fqcn], window: 1 });
  }
}

describe('the session of a client', () => {
  it('stays with the living subscription when an ended one waited for Redis', async () => {
    const here = await user(broker.url, new Actor());
    const there = new Client(other.url, here.actor);
    await there.login();
    const fqcn = await makeChannel(broker.url);
    const [ended, living] = [
      await TestStream.open(here.url, here.token),
      await TestStream.open(there.url, there.token),
    ];
    redis.pause();
    try {
      subscribeAll(ended, fqcn);
      await ended.close();
      subscribeAll(living, fqcn);
    } finally {
      redis.resume();
    }
    await living.next('subscribed', CLIENTS.length);
    await here.post(fqcn, 'for each');
    await living.next('messages', CLIENTS.length);
    expect(living.of('closed')).toEqual([]);
    await living.close();
  });

  it('is released with the stream, and leaves nothing in Redis', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const stream = await TestStream.open(client.url, client.token);
    subscribeAll(stream, fqcn);
    for (const subscription of CLIENTS.slice(10)) stream.send({ type: 'unsubscribe', subscription });
    await stream.next('subscribed', 10);
    await stream.close();
    const commands = connectRedis(redis.url, { name: 'test' });
    try {
      const left = await waitFor('the end of all sessions', async () => {
        const keys = await commands.keys('broker:session*');
        return keys.length === 0 && keys;
      });
      expect(left).toEqual([]);
    } finally {
      commands.disconnect();
    }
  });
});
