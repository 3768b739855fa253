import { startTestNats, startTestRedis, type TestNats, type TestRedis, waitFor } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import { describeStreamStart } from './brokers/stream-start.suite.js';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { startBroker, type TestBroker } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

/** Two brokers with their log in NATS; every other test has it in Redis. */
let redis: TestRedis;
let nats: TestNats;
let one: TestBroker;
let other: TestBroker;

beforeAll(async () => {
  [redis, nats] = await Promise.all([startTestRedis(), startTestNats()]);
  const settings = { LOG_ENGINE: 'nats', NATS_URL: nats.url, NATS_TIMEOUT_MS: '4000' };
  [one, other] = await Promise.all([startBroker(redis.url, settings), startBroker(redis.url, settings)]);
});

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await Promise.all([redis?.stop(), nats?.stop()]);
});

describeStreamStart('NATS', () => one);

/** The same identity at both brokers. */
async function atBoth(): Promise<[Client, Client]> {
  const here = await user(one.url, new Actor());
  const there = new Client(other.url, here.actor);
  await there.login();
  return [here, there];
}

it('report a gap to a reader that was away for longer than the retention: in a frame if it knows it, and in a header', async () => {
  const [here, there] = await atBoth();
  const fqcn = await makeChannel(one.url, { maxMsgAge: 1_000_000_000 });
  /** On a slow machine a message can expire before it is pushed; then another one is posted. */
  const postUntilPushed = (stream: TestStream, payload: string) =>
    waitFor('a message', async () => {
      await here.post(fqcn, payload);
      return stream.messages.length > 0 && stream.messages;
    });
  const read = async ({ url, token }: Client, query: Readonly<Record<string, string>> = {}) => {
    // The client of the streams.
    const parameters = new URLSearchParams({ fqcn, clientId: 'test', ...query }).toString();
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${url}/message?${parameters}`, { headers });
    const messages = (await response.json()) as { payload: string }[];
    return { gap: response.headers.get('bus-gap'), payloads: messages.map(({ payload }) => payload) };
  };
  const before = await TestStream.open(one.url, here.token);
  await before.subscribe([fqcn]);
  const [first] = await postUntilPushed(before, 'seen');
  if (!first) throw new Error('no message');
  before.acknowledge(first);
  await before.close();
  await here.post(fqcn, 'missed');
  const upTo = (await here.post(fqcn, 'also missed')).body.id;
  await waitFor('retention', async () => {
    return (await read(there, { clientId: randomUUID() })).payloads.length === 0;
  });
  // JetStream removes a message with a delay; a hidden one that still exists is not a gap yet.
  const header = `after="${first.id}", up-to="${upTo}"`;
  for (const client of [here, there])
    await waitFor('the gap', async () => (await read(client)).gap === header);
  expect((await read(there, { from: '2020-01-01T00:00:00Z' })).gap).toBeNull();
  const reader = await TestStream.open(other.url, there.token);
  await reader.subscribe([fqcn], { gaps: true });
  expect(await reader.next('gap')).toEqual({ type: 'gap', subscription: 's', fqcn, after: first.id, upTo });
  await postUntilPushed(reader, 'new');
  const types = reader.frames.map(({ type }) => type);
  expect(types.indexOf('gap')).toBeLessThan(types.indexOf('messages'));
  await reader.close();
  const old = await TestStream.open(one.url, here.token);
  await old.subscribe([fqcn]);
  await postUntilPushed(old, 'new');
  expect(old.of('gap')).toEqual([]);
  await old.close();
  // The header is there until a message after the gap is read.
  const after = await waitFor('a message', async () => {
    await here.post(fqcn, 'new');
    const response = await read(there);
    return response.payloads.length > 0 && response;
  });
  expect(after.gap).toContain(`after="${first.id}", up-to="`);
  expect(new Set(after.payloads)).toEqual(new Set(['new']));
  expect(await read(here)).toEqual({ gap: null, payloads: [] });
  const metrics = await (await fetch(`${other.managementUrl}/metrics`)).text();
  expect(Number(/^settlement_bus_broker_gaps_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
});

it('respond 503 with the status and message of NATS while it is stopped, and recover by themselves', async () => {
  const [here, there] = await atBoth();
  const fqcn = await makeChannel(one.url);
  const stream = await TestStream.open(one.url, here.token);
  await stream.subscribe([fqcn]);
  await nats.kill();
  const additionalInformation = { status: expect.any(String), message: expect.any(String) };
  const unhealthy = { err: { code: 'BUS::UNHEALTHY', additionalInformation } };
  const correlationId = randomUUID();
  const [posted, read, health] = await Promise.all([
    here.post(fqcn, 'a', { correlationId }),
    there.read(fqcn),
    here.call('GET', '/health'),
  ]);
  for (const response of [posted, read]) expect(response).toMatchObject({ status: 503, body: unhealthy });
  expect(health).toMatchObject({ status: 503, body: { status: 'error' } });
  await nats.start();
  for (const client of [here, there]) {
    await waitFor('a healthy broker', async () => (await client.call('GET', '/health')).status === 200);
  }
  expect((await there.post(fqcn, 'a', { correlationId })).status).toBe(201);
  await stream.received(['a']);
  expect(stream.payloads).toEqual(['a']);
  await stream.close();
});

describe('a channel in Redis whose messages are in NATS', () => {
  it('is removed with its messages, or not at all', async () => {
    const [owner, reader] = await Promise.all([creator(one.url), user(one.url, new Actor())]);
    const fqcn = await makeChannel(one.url);
    const sent = { correlationId: 'c' };
    expect((await reader.post(fqcn, 'of the first', sent)).status).toBe(201);
    await nats.kill();
    expect(await owner.call('DELETE', `/channel/${fqcn}`)).toMatchObject({
      status: 503,
      body: { err: { code: 'BUS::UNHEALTHY' } },
    });
    expect((await owner.call('GET', `/channel/${fqcn}`)).status).toBe(200);
    await nats.start();
    await waitFor('the removal', async () => (await owner.call('DELETE', `/channel/${fqcn}`)).status === 204);
    expect((await owner.call('POST', '/channel', { fqcn })).status).toBe(201);
    expect((await reader.post(fqcn, 'of the second', sent)).status).toBe(201);
    const { body } = await reader.read(fqcn);
    expect(body.map(({ payload }) => payload)).toEqual(['of the second']);
  });
});
