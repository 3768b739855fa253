import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { STREAM_PATH, STREAM_PROTOCOL } from '@ssb/bus';
import { startTestRedis, type TestRedis } from '@ssb/redis';
import { WebSocket } from 'ws';
import { Actor } from './testing/actor.js';
import { Client, creator, makeChannel, user } from './testing/client.js';
import { startBroker, USER_ROLE, type TestBroker } from './testing/test-broker.js';
import { TestStream } from './testing/test-stream.js';
import { until } from './testing/until.js';

let redis: TestRedis;
let broker: TestBroker;
let other: TestBroker;
let streams: TestStream[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  [broker, other] = await Promise.all([startBroker(redis.url), startBroker(redis.url)]);
});

afterEach(async () => {
  await Promise.all(streams.map((stream) => stream.close()));
  streams = [];
});

afterAll(async () => {
  await Promise.all([broker.close(), other.close()]);
  await redis.stop();
});

async function open(client: Client): Promise<TestStream> {
  const stream = await TestStream.open(client.url, client.token);
  streams.push(stream);
  return stream;
}

const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

describe('a stream', () => {
  it('begins at the beginning of the log and pushes what comes, from any broker, within a moment', async () => {
    const [sender, reader] = await Promise.all([user(other.url, new Actor()), user(broker.url, new Actor())]);
    const fqcn = await makeChannel(broker.url);
    await sender.post(fqcn, 'before');
    const stream = await open(reader);
    await stream.subscribe([fqcn]);
    await stream.received(['before']);
    const started = performance.now();
    await sender.post(fqcn, 'after', { correlationId: 'c' });
    await stream.received(['before', 'after']);
    // A second's polling would be noticed here.
    expect(performance.now() - started).toBeLessThan(500);
    expect(stream.messages[1]).toMatchObject({
      fqcn,
      payload: 'after',
      sender: sender.actor.did,
      correlationId: 'c',
    });
  });

  it('keeps at most the window unacknowledged, in log order, and goes on with each acknowledgement', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    for (const payload of upTo(20)) await client.post(fqcn, payload);
    const stream = await open(client);
    await stream.subscribe([fqcn], { window: 3 });
    await stream.received(upTo(3));
    for (let done = 0; done < 20; done += 1) {
      expect(stream.messages.length - done).toBeLessThanOrEqual(3);
      const next = stream.messages[done];
      if (!next) throw new Error(`message ${done} did not come`);
      stream.acknowledge(next);
      await stream.received(upTo(Math.min(20, done + 4)));
    }
    expect(stream.payloads).toEqual(upTo(20));
  });

  it('delivers again after a reconnection what came after the first gap in the acknowledgements', async () => {
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

  it('keeps a place for each client id', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    await client.post(fqcn, 'a');
    const first = await open(client);
    await first.subscribe([fqcn], { clientId: 'one' });
    await first.received(['a']);
    first.acknowledge(...first.messages);
    await first.close();
    const second = await open(client);
    await second.subscribe([fqcn], { clientId: 'two' });
    await second.received(['a']);
    expect(second.payloads).toEqual(['a']);
  });

  it('is taken over by the newest of the same DID and client id, at any broker', async () => {
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

  it('serves a quiet channel while a busy one has much to deliver', async () => {
    const client = await user(broker.url, new Actor());
    const [busy, quiet] = await Promise.all([makeChannel(broker.url), makeChannel(broker.url)]);
    await Promise.all(upTo(400).map((payload) => client.post(busy, payload)));
    const stream = await open(client);
    await stream.subscribe([busy, quiet], { window: 10 });
    await client.post(quiet, 'now');
    let done = 0;
    await until(
      () => {
        stream.acknowledge(...stream.messages.slice(done, done + 5));
        done = Math.min(done + 5, stream.messages.length);
        return stream.messages.findIndex(({ fqcn }) => fqcn === quiet);
      },
      (at) => at >= 0,
    );
    expect(stream.messages.findIndex(({ fqcn }) => fqcn === quiet)).toBeLessThan(100);
  });

  it('follows every readable channel, those made later as well, when none is named', async () => {
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
    await until(
      () => stream.of('subscribed').at(-1)?.channels ?? [],
      (channels) => channels.includes(later),
    );
    await client.post(later, 'new');
    await until(
      () => stream.payloads,
      (all) => all.includes('new'),
    );
    await (await creator(broker.url)).call('DELETE', `/channel/${later}`);
    await until(
      () => stream.of('subscribed').at(-1)?.channels ?? [],
      (channels) => !channels.includes(later),
    );
  });

  it('carries several subscriptions, and ends one on request', async () => {
    const client = await user(broker.url, new Actor());
    const fqcn = await makeChannel(broker.url);
    const stream = await open(client);
    for (const name of ['a', 'b']) {
      stream.send({ type: 'subscribe', subscription: name, clientId: name, fqcn: [fqcn], window: 5 });
    }
    await stream.next('subscribed', 2);
    await client.post(fqcn, 'both');
    await until(
      () => stream.of('messages'),
      (frames) => frames.length === 2,
    );
    stream.send({ type: 'unsubscribe', subscription: 'a' });
    // Answered after the unsubscription: frames are taken in order.
    stream.send({ type: 'subscribe', subscription: 'c', clientId: 'c', fqcn: ['unknown'], window: 5 });
    await stream.next('error');
    await client.post(fqcn, 'one');
    await until(
      () => stream.of('messages'),
      (frames) => frames.some(({ messages }) => messages[0]?.payload === 'one'),
    );
    const names = stream.of('messages').filter(({ messages }) => messages[0]?.payload === 'one');
    expect(names.map(({ subscription }) => subscription)).toEqual(['b']);
  });
});

describe('rights on a stream', () => {
  it.each<[string, (client: Client, fqcn: string) => Promise<unknown>, string]>([
    ['the user role is revoked', (client) => client.decide(USER_ROLE, 'revoke'), 'BUS::FORBIDDEN_RESOURCE'],
    [
      'the right to subscribe is taken away',
      async (_, fqcn) =>
        (await creator(other.url)).call('PATCH', '/channel', { fqcn, subscribers: [new Actor().did] }),
      'BUS::CHANNEL_UNAUTHORIZED',
    ],
    [
      'the channel is removed',
      async (_, fqcn) => (await creator(other.url)).call('DELETE', `/channel/${fqcn}`),
      'BUS::CHANNEL_NOT_FOUND',
    ],
  ])('end it within a second when %s', async (_, takeAway, code) => {
    const sender = await user(other.url, new Actor());
    const client = await user(broker.url, new Actor());
    const members = [client.actor.did];
    const fqcn = await makeChannel(broker.url, {
      subscribers: members,
      publishers: [sender.actor.did, ...members],
    });
    const stream = await open(client);
    await stream.subscribe([fqcn]);
    const started = performance.now();
    await takeAway(client, fqcn);
    expect((await stream.next('closed')).err.code).toBe(code);
    expect(performance.now() - started).toBeLessThan(1_000);
    await sender.post(fqcn, 'secret');
    expect(stream.payloads).toEqual([]);
  });

  it.each<[string, boolean, (fqcn: string) => string[] | undefined, string]>([
    ['an identity that is not enrolled', false, (fqcn) => [fqcn], 'BUS::FORBIDDEN_RESOURCE'],
    ['all channels, of one not enrolled', false, () => undefined, 'BUS::FORBIDDEN_RESOURCE'],
    ['a channel of others', true, (fqcn) => [fqcn], 'BUS::CHANNEL_UNAUTHORIZED'],
    ['an unknown channel', true, (fqcn) => [`x.${fqcn}`], 'BUS::CHANNEL_NOT_FOUND'],
  ])('refuse a subscription to %s', async (_, enrolled, channels, code) => {
    const fqcn = await makeChannel(broker.url, { subscribers: [new Actor().did] });
    const client = new Client(broker.url, new Actor());
    await client.login();
    if (enrolled) await client.decide(USER_ROLE, 'approve');
    const stream = await open(client);
    const named = channels(fqcn);
    stream.send({
      type: 'subscribe',
      subscription: 's',
      clientId: 'c',
      ...(named && { fqcn: named }),
      window: 1,
    });
    expect(await stream.next('error')).toMatchObject({ subscription: 's', err: { code } });
  });

  it('tell a waiting gateway of the decision on its claim, made at another broker', async () => {
    const client = new Client(broker.url, new Actor());
    await client.login();
    await client.call('POST', '/role/claim', { role: USER_ROLE });
    const stream = await open(client);
    expect(await stream.next('claim')).toEqual({
      type: 'claim',
      role: USER_ROLE,
      state: 'AWAITING_APPROVAL',
    });
    const elsewhere = new Client(other.url, client.actor);
    await elsewhere.decide(USER_ROLE, 'approve');
    expect(await stream.next('claim', 2)).toEqual({ type: 'claim', role: USER_ROLE, state: 'APPROVED' });
    await stream.subscribe(undefined);
  });
});

describe('opening a stream', () => {
  it('is refused to an identity that holds too many', async () => {
    const strict = await startBroker(redis.url, { STREAMS_PER_IDENTITY: '1' });
    const client = await user(strict.url, new Actor());
    const stream = await open(client);
    expect(await upgradeStatus(client, STREAM_PATH, STREAM_PROTOCOL, client.token)).toBe(429);
    await stream.close();
    await until(
      async () => (await metrics(strict)).includes('broker_streams 0'),
      (closed) => closed,
    );
    await open(client);
    await strict.close();
  });

  it('ends when the client gives no sign of life', async () => {
    const strict = await startBroker(redis.url, { STREAM_PING_MS: '100' });
    const stream = await open(await user(strict.url, new Actor()));
    expect(await metrics(strict)).toContain('broker_streams 1');
    stream.socket.pause();
    await until(
      async () => (await metrics(strict)).includes('broker_streams 0'),
      (closed) => closed,
    );
    stream.socket.terminate();
    await strict.close();
  });

  it.each([
    ['without a token', STREAM_PATH, STREAM_PROTOCOL, undefined, 401],
    ['with a forged token', STREAM_PATH, STREAM_PROTOCOL, 'a.b.c', 401],
    ['at another path', '/other', STREAM_PROTOCOL, undefined, 404],
    ['with another sub-protocol', STREAM_PATH, 'other', undefined, 400],
  ])('is refused %s', async (_, path, protocol, token, status) => {
    const anybody = new Client(broker.url, new Actor());
    expect(await upgradeStatus(anybody, path, protocol, token)).toBe(status);
  });

  it.each(['{', '{"type":"dance"}', '{"type":"subscribe","subscription":"s","clientId":"c","window":0}'])(
    'and sending %s gets an error, and the stream goes on',
    async (text) => {
      const client = await user(broker.url, new Actor());
      const fqcn = await makeChannel(broker.url);
      const stream = await open(client);
      stream.socket.send(text);
      expect((await stream.next('error')).err.code).toBe('BUS::INVALID_REQUEST');
      await stream.subscribe([fqcn]);
    },
  );
});

async function upgradeStatus(
  { url }: Client,
  path: string,
  protocol: string,
  token: string | undefined,
): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace('http', 'ws') + path, protocol, { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  response.destroy();
  return response.statusCode ?? 0;
}

async function metrics({ url }: TestBroker): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
