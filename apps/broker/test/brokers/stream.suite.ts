import { connectRedis } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Actor } from '../support/actor.js';
import { Client, creator, makeChannel, user } from '../support/client.js';
import { TestStream, useStreams } from '../support/test-stream.js';
import { broker, other, redis } from './shared-brokers.js';
import { describeStreamStart } from './stream-start.suite.js';

describe('streams', () => {
  const open = useStreams();

  const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

  describe('a stream', () => {
    it('starts at the beginning of the log and pushes new messages of any broker', async () => {
      const [sender, reader] = await Promise.all([
        user(other.url, new Actor()),
        user(broker.url, new Actor()),
      ]);
      const fqcn = await makeChannel(broker.url);
      await sender.post(fqcn, 'before');
      const stream = await open(reader);
      await stream.subscribe([fqcn]);
      await stream.received(['before']);
      await sender.post(fqcn, 'after', { correlationId: 'c' });
      await stream.received(['before', 'after']);
      expect(stream.messages[1]).toMatchObject({
        fqcn,
        payload: 'after',
        sender: sender.actor.did,
        correlationId: 'c',
      });
    });

    it('keeps at most the window unacknowledged, in log order, and continues with each acknowledgement', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      for (const payload of upTo(8)) await client.post(fqcn, payload);
      const stream = await open(client);
      await stream.subscribe([fqcn], { window: 3 });
      await stream.received(upTo(3));
      for (let done = 0; done < 8; done += 1) {
        expect(stream.messages.length - done).toBeLessThanOrEqual(3);
        const next = stream.messages[done];
        if (!next) throw new Error(`message ${done} did not come`);
        stream.acknowledge(next);
        await stream.received(upTo(Math.min(8, done + 4)));
      }
      expect(stream.payloads).toEqual(upTo(8));
    });

    it('delivers again after a reconnection what follows the first unacknowledged message', async () => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      for (const payload of upTo(5)) await client.post(fqcn, payload);
      const first = await open(client);
      await first.subscribe([fqcn]);
      await first.received(upTo(5));
      const [zero, one, , three] = first.messages;
      if (!zero || !one || !three) throw new Error('too few messages');
      first.acknowledge(three, one, zero);
      await first.close();
      const elsewhere = new Client(other.url, client.actor);
      await elsewhere.login();
      const second = await open(elsewhere);
      await second.subscribe([fqcn]);
      await second.received(['2', '3', '4']);
      expect(second.payloads).toEqual(['2', '3', '4']);
    });

    it('is replaced by the newest of the same DID and client id, at any broker', async () => {
      const client = await user(broker.url, new Actor());
      const elsewhere = new Client(other.url, client.actor);
      await elsewhere.login();
      const fqcn = await makeChannel(broker.url);
      const first = await open(client);
      await first.subscribe([fqcn]);
      const second = await open(elsewhere);
      await second.subscribe([fqcn]);
      expect((await first.next('closed')).err.code).toBe('BUS::SUPERSEDED');
      await client.post(fqcn, 'a');
      await second.received(['a']);
      expect(first.payloads).toEqual([]);
      const third = await open(client);
      await third.subscribe([fqcn]);
      expect((await second.next('closed')).err.code).toBe('BUS::SUPERSEDED');
    });

    it('serves a quiet channel while a busy one has many messages', async () => {
      const client = await user(broker.url, new Actor());
      const [busy, quiet] = await Promise.all([makeChannel(broker.url), makeChannel(broker.url)]);
      const message = { fqcn: busy, payload: 'a', signature: client.actor.sign('a') };
      const batch = Array.from({ length: 75 }, () => message);
      for (let count = 0; count < 2; count += 1) await client.call('POST', '/messages', batch);
      const stream = await open(client);
      await stream.subscribe([busy, quiet], { window: 10 });
      await client.post(quiet, 'now');
      let done = 0;
      await waitFor('a message of the quiet channel', () => {
        stream.acknowledge(...stream.messages.slice(done, done + 5));
        done = Math.min(done + 5, stream.messages.length);
        const at = stream.messages.findIndex(({ fqcn }) => fqcn === quiet);
        return at >= 0;
      });
      expect(stream.messages.findIndex(({ fqcn }) => fqcn === quiet)).toBeLessThan(100);
    });

    it('follows every readable channel, also later ones, when none is named', async () => {
      const client = await user(broker.url, new Actor());
      const only = { publishers: [client.actor.did], subscribers: [client.actor.did] };
      const before = await makeChannel(broker.url, only);
      const hidden = await makeChannel(broker.url, { subscribers: [new Actor().did] });
      const stream = await open(client);
      await stream.subscribe(undefined, { window: 10_000 });
      const [first] = stream.of('subscribed');
      expect(first?.channels).toContain(before);
      expect(first?.channels).not.toContain(hidden);
      const later = await makeChannel(other.url, only);
      await waitFor('the later channel', () =>
        (stream.of('subscribed').at(-1)?.channels ?? []).includes(later),
      );
      await client.post(later, 'new');
      await waitFor('the new message', () => stream.payloads.includes('new'));
      await (await creator(broker.url)).call('DELETE', `/channel/${later}`);
      await waitFor(
        'the end of the later channel',
        () => !(stream.of('subscribed').at(-1)?.channels ?? []).includes(later),
      );
    });
  });

  describeStreamStart('Redis', () => broker);

  const CLIENTS = Array.from({ length: 20 }, (_, index) => `client-${index}`);

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
});
