import { startTestNats, startTestRedis, type TestNats, type TestRedis, waitFor } from '@ssb/testing';
import { randomUUID } from 'node:crypto';
import { Actor } from './support/actor.js';
import { Client, creator, makeChannel, user } from './support/client.js';
import { startBroker, type TestBroker } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

/** The engine's server, and the settings of a broker with its log there. */
const ENGINES = {
  redis: (redis: TestRedis) => ({ server: redis, settings: { REDIS_TIMEOUT_MS: '4000' } }),
  nats: (_: TestRedis, nats: TestNats) => ({
    server: nats,
    settings: { LOG_ENGINE: 'nats', NATS_URL: nats.url, NATS_TIMEOUT_MS: '4000' },
  }),
};

let redis: TestRedis;
let nats: TestNats;

beforeAll(async () => {
  [redis, nats] = await Promise.all([startTestRedis(), startTestNats()]);
});

afterAll(async () => {
  await Promise.all([redis.stop(), nats.stop()]);
});

describe.each(['redis', 'nats'] as const)('two brokers with their log on %s', (engine) => {
  let one: TestBroker;
  let other: TestBroker;

  beforeAll(async () => {
    const { settings } = ENGINES[engine](redis, nats);
    [one, other] = await Promise.all([startBroker(redis.url, settings), startBroker(redis.url, settings)]);
  });

  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
  });

  /** The same identity at both brokers. */
  async function atBoth(): Promise<[Client, Client, string]> {
    const here = await user(one.url, new Actor());
    const there = new Client(other.url, here.actor);
    await there.login();
    return [here, there, await makeChannel(one.url)];
  }

  it('report a gap to a reader that was away for longer than the retention, if it knows the frame', async () => {
    const [here, there] = await atBoth();
    const fqcn = await makeChannel(one.url, { maxMsgAge: 1_000_000_000 });
    /** On a slow machine a message can expire before it is pushed; then another one is posted. */
    const postUntilPushed = (stream: TestStream, payload: string) =>
      waitFor('a message', async () => {
        await here.post(fqcn, payload);
        const messages = stream.messages;
        return messages.length > 0 && messages;
      });
    const before = await TestStream.open(one.url, here.token);
    await before.subscribe([fqcn]);
    const [first] = await postUntilPushed(before, 'seen');
    if (!first) throw new Error('no message');
    before.acknowledge(first);
    await before.close();
    await here.post(fqcn, 'missed');
    const upTo = (await here.post(fqcn, 'also missed')).body.id;
    await waitFor(
      'retention',
      async () => (await there.read(fqcn, { clientId: randomUUID() })).body.length === 0,
    );
    const gap = { type: 'gap', subscription: 's', fqcn, after: first.id, upTo };
    const reader = await TestStream.open(other.url, there.token);
    await waitFor('the gap', async () => {
      // JetStream removes a message with a delay; a hidden one that still exists is not a gap yet.
      await reader.subscribe([fqcn], { gaps: true });
      await there.call('GET', '/health');
      const last = reader.of('gap').at(-1)?.upTo;
      return last === upTo;
    });
    expect(reader.of('gap').at(-1)).toEqual(gap);
    await postUntilPushed(reader, 'new');
    expect(reader.frames.findIndex(({ type }) => type === 'gap')).toBeLessThan(
      reader.frames.findIndex(({ type }) => type === 'messages'),
    );
    await reader.close();
    const old = await TestStream.open(one.url, here.token);
    await old.subscribe([fqcn]);
    await postUntilPushed(old, 'new');
    expect(old.of('gap')).toEqual([]);
    await old.close();
    const metrics = await (await fetch(`${other.managementUrl}/metrics`)).text();
    expect(Number(/^settlement_bus_broker_gaps_total (\d+)/m.exec(metrics)?.[1])).toBeGreaterThan(0);
  });

  it('report a gap in a header over HTTP, until a message after the gap is read', async () => {
    const [here, there] = await atBoth();
    const fqcn = await makeChannel(one.url, { maxMsgAge: 1_000_000_000 });
    const read = async ({ url, token }: Client, query: Readonly<Record<string, string>> = {}) => {
      const parameters = new URLSearchParams({ fqcn, clientId: 'polling', ...query }).toString();
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/message?${parameters}`, { headers });
      const messages = (await answer.json()) as { id: string; payload: string }[];
      return { gap: answer.headers.get('bus-gap'), messages };
    };
    /** On a slow machine a message can expire before it is read; then another one is posted. */
    const postAndRead = (client: Client, payload: string) =>
      waitFor('a message', async () => {
        await client.post(fqcn, payload);
        const answer = await read(client);
        return answer.messages.length > 0 && answer;
      });
    const seen = (await postAndRead(here, 'seen')).messages.at(-1)?.id;
    await here.post(fqcn, 'missed');
    const upTo = (await here.post(fqcn, 'also missed')).body.id;
    const header = `after="${seen}", up-to="${upTo}"`;
    await waitFor(
      'retention',
      async () => (await there.read(fqcn, { clientId: randomUUID() })).body.length === 0,
    );
    for (const client of [here, there]) {
      await waitFor('the gap', async () => (await read(client)).gap === header);
    }
    expect((await read(there, { from: '2020-01-01T00:00:00Z' })).gap).toBeNull();
    const after = await postAndRead(there, 'new');
    expect(after.gap).toContain(`after="${seen}", up-to="`);
    expect(new Set(after.messages.map(({ payload }) => payload))).toEqual(new Set(['new']));
    expect(await read(here)).toEqual({ gap: null, messages: [] });
  });

  it('answer 503 with the engine’s status and message while it is stopped, and recover by themselves', async () => {
    const [here, there, fqcn] = await atBoth();
    const { server } = ENGINES[engine](redis, nats);
    const stream = await TestStream.open(one.url, here.token);
    await stream.subscribe([fqcn]);
    await server.kill();
    const unhealthy = {
      err: {
        code: 'BUS::UNHEALTHY',
        additionalInformation: { status: expect.any(String), message: expect.any(String) },
      },
    };
    const correlationId = randomUUID();
    const [posted, read, health] = await Promise.all([
      here.post(fqcn, 'a', { correlationId }),
      there.read(fqcn),
      here.call('GET', '/health'),
    ]);
    for (const answer of [posted, read]) expect(answer).toMatchObject({ status: 503, body: unhealthy });
    expect(health).toMatchObject({ status: 503, body: { status: 'error' } });
    await server.start();
    for (const client of [here, there]) {
      await waitFor('a healthy broker', async () => (await client.call('GET', '/health')).status === 200);
    }
    expect((await there.post(fqcn, 'a', { correlationId })).status).toBe(201);
    await stream.received(['a']);
    expect(stream.payloads).toEqual(['a']);
    await stream.close();
  });
});

describe('a channel in Redis whose messages are in NATS', () => {
  let broker: TestBroker;

  beforeAll(async () => {
    broker = await startBroker(redis.url, ENGINES.nats(redis, nats).settings);
  });

  afterAll(() => broker.close());

  it('is removed with its messages, or not at all', async () => {
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
});
