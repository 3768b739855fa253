import { type DetectedEvent, createMarginEvent, validateEvent, verifyProof } from '@ssb/events';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { buildApp, type BuiltApp, createLogger, readSettings, writeEncryptedFile } from '@ssb/platform';
import { type DeadLetters, type EventQueue, openDeadLetters, openEventQueue } from '@ssb/queue';
import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ACCEPT, FakeGateway } from './support/fake-gateway.js';
import { PublisherModule } from '../src/publisher.module.js';
import { definition } from '../src/settings.js';

type Line = Record<string, unknown>;

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const KEY = generatePrivateKey();

let server: TestRedis;
let folder: string;
let gateway: FakeGateway;
let redis: Redis;
let prefix: string;
let queue: EventQueue;
let deadLetters: DeadLetters;
let apps: BuiltApp[];
let lines: Line[];

beforeAll(async () => {
  server = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'publisher-spec-'));
  const secret = randomUUID() + randomUUID();
  writeFileSync(join(folder, 'secret'), `${secret}\n`);
  await writeEncryptedFile(join(folder, 'origin.key'), Buffer.from(KEY.toHex()), Buffer.from(secret));
  writeFileSync(
    join(folder, 'bridge.yaml'),
    `participants: [{ code: WPGENCO, margin: { warning: '2', breach: '1', hysteresis: '0' } }]
routes: [{ types: ['settlementbus.margin.*'], channel: ${CHANNEL} }]
senders: []
alerts: { sinks: [], rules: [] }
`,
  );
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  gateway = new FakeGateway();
  await gateway.start();
  redis = connectRedis(server.url, { name: 'publisher-spec', blocking: true });
  prefix = `{${randomUUID()}}`;
  queue = openEventQueue(redis, prefix);
  deadLetters = openDeadLetters(redis, prefix);
  apps = [];
  lines = [];
});
afterEach(async () => {
  for (const app of apps) await app.close();
  await queue.close();
  await deadLetters.close();
  await redis.quit();
  await gateway.stop();
});

async function start(changes: Record<string, string> = {}): Promise<BuiltApp & { url: string }> {
  const log = createLogger({
    name: 'bus-publisher',
    level: 'debug',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const settings = readSettings(definition, {
    PORT: '0',
    REDIS_URL: server.url,
    QUEUE_PREFIX: prefix,
    CONFIG_FILE: join(folder, 'bridge.yaml'),
    GATEWAY_URL: gateway.url,
    GATEWAY_USERNAME: 'bridge',
    GATEWAY_PASSWORD: 'password',
    ORIGIN_KEY_FILE: join(folder, 'origin.key'),
    ORIGIN_KEY_SECRET_FILE: join(folder, 'secret'),
    ...changes,
  });
  const app = await buildApp(
    {
      name: 'bus-publisher',
      definition,
      module: (given) => PublisherModule.register(given),
      http: (given) => ({ port: given.PORT }),
    },
    settings,
    log,
  );
  apps.push(app);
  const [url = ''] = await app.listen();
  return { ...app, url };
}

/** An event with its own id for each minute. */
function breach(minute: number, tradingMargin = '-12.5'): DetectedEvent {
  return createMarginEvent(
    {
      participant: 'WPGENCO',
      tradingDay: '2026-03-02T00:00:00',
      calculatedAt: `2026-03-02T09:${String(minute).padStart(2, '0')}:00`,
      level: 'BREACHED',
      previousLevel: 'OK',
      tradingMargin,
      thresholds: { warning: '2', breach: '1', hysteresis: '0' },
    },
    { detectedAt: new Date(), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  );
}

const isQueueEmpty = async (): Promise<boolean> => {
  const { waiting, active, delayed, failed } = await queue.depth();
  return waiting + active + delayed + failed === 0;
};
const published = (): Line[] => lines.filter((line) => line['step'] === 'published');
const refusal = (status: number, code: string, reason = 'no') => ({
  status,
  body: { err: { code, reason } },
});

describe('publishing', () => {
  it('sends the event signed, with a valid proof, under its own id', async () => {
    await start();
    const event = breach(1, '123456789012345.67890123');
    await queue.enqueue([event]);
    await waitFor('1 published messages', () => published().length === 1);
    const [message] = gateway.received;
    expect(message).toMatchObject({ fqcn: CHANNEL, topic: 'margin.breached.v1', transactionId: event.id });
    const signed = JSON.parse(message?.payload ?? '{}');
    expect(signed).toMatchObject({ ...event, channel: CHANNEL, topic: 'margin.breached.v1' });
    expect(validateEvent(signed).ok).toBe(true);
    expect(verifyProof(signed, [didOfKey(KEY)])).toMatchObject({ ok: true });
    expect(gateway.authorization).toBe(`Basic ${Buffer.from('bridge:password').toString('base64')}`);
    expect(published()[0]).toMatchObject({
      eventId: event.id,
      eventType: event.type,
      subject: 'WPGENCO/prudential',
      messageId: 'message-1',
    });
    await waitFor('an empty queue', isQueueEmpty);
  });

  it('logs neither payload nor key nor password', async () => {
    await start();
    await queue.enqueue([breach(1, '987654.321')]);
    await waitFor('1 published messages', () => published().length === 1);
    const text = JSON.stringify(lines);
    for (const secret of ['987654.321', KEY.toHex().slice(2), 'password']) expect(text).not.toContain(secret);
  });

  it.each<[string, { status: number; body: unknown }]>([
    ['no rights on the channel', refusal(401, 'BUS::CHANNEL_UNAUTHORIZED')],
    ['not enrolled', refusal(403, 'BUS::FORBIDDEN_RESOURCE')],
    ['broker unreachable', refusal(502, 'BUS::REQUEST_FAILED')],
    ['an error page of a proxy', { status: 503, body: 'come back later' }],
  ])('repeats the attempt after: %s', async (_, first) => {
    gateway.reply = (count) => (count === 1 ? first : ACCEPT);
    await start();
    const event = breach(1);
    await queue.enqueue([event]);
    await waitFor('1 published messages', () => published().length === 1);
    expect(gateway.received.map(({ transactionId }) => transactionId)).toEqual([event.id, event.id]);
    await waitFor('an empty queue', isQueueEmpty);
    expect(await deadLetters.count()).toBe(0);
  });

  it('repeats the attempt when the gateway is unreachable or does not answer in time', async () => {
    await gateway.stop();
    await start({ GATEWAY_TIMEOUT_MS: '500' });
    await queue.enqueue([breach(1)]);
    await waitFor('the failed attempt', () => lines.some((line) => line['outcome'] === 'retry'));
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    gateway.reply = async (count) => {
      if (count === 1) await held;
      return ACCEPT;
    };
    await gateway.start();
    await waitFor('1 published messages', () => published().length === 1);
    expect(gateway.received.length).toBeGreaterThanOrEqual(2);
    open();
    await waitFor('an empty queue', isQueueEmpty);
  });

  it('counts a duplicate transaction id as published', async () => {
    gateway.reply = () => refusal(400, 'BUS::REJECTED', 'Duplicate transaction id.');
    await start();
    await queue.enqueue([breach(1)]);
    await waitFor('1 published messages', () => published().length === 1);
    await waitFor('an empty queue', isQueueEmpty);
    expect(await deadLetters.count()).toBe(0);
  });
});

describe('dead letters', () => {
  it.each<[string, { status: number; body: unknown }]>([
    ['no such channel', refusal(404, 'BUS::CHANNEL_NOT_FOUND')],
    ['payload refused', refusal(422, 'BUS::MESSAGE_REJECTED')],
  ])('%s: the event is a dead letter after one attempt, and a replay publishes it', async (_, first) => {
    gateway.reply = (count) => (count === 1 ? first : ACCEPT);
    await start();
    const event = breach(1);
    await queue.enqueue([event]);
    await waitFor('1 dead letters', async () => (await deadLetters.count()) === 1 && (await isQueueEmpty()));
    expect(gateway.received).toHaveLength(1);
    expect(await deadLetters.replay(event.id)).toBe('replayed');
    await waitFor('0 dead letters', async () => (await deadLetters.count()) === 0);
    expect(published()).toHaveLength(1);
  });

  it('contain an event without a route and an event that its schema refuses, which are not sent', async () => {
    await start();
    const valid = breach(1);
    const invalid = { ...breach(2), sequence: '7' };
    const unrouted = { ...breach(3), type: 'settlementbus.invoice.issued.v1' } as DetectedEvent;
    await queue.enqueue([invalid, unrouted, valid]);
    await waitFor(
      'the dead letters and the other event',
      async () => (await deadLetters.count()) === 2 && published().length === 1,
    );
    const reasons = (await deadLetters.list()).map(({ reason }) => reason).sort();
    expect(reasons[0]).toBe('CONFIG_FILE has no route for settlementbus.invoice.issued.v1');
    expect(reasons[1]).toContain('/sequence');
    expect(gateway.received.map(({ transactionId }) => transactionId)).toEqual([valid.id]);
  });

  it('contain an event with an unpaired surrogate, which cannot be signed', async () => {
    await start();
    const event = { ...breach(1), subject: 'WPGENCO/\ud83d' };
    await queue.enqueue([event]);
    await waitFor('1 dead letters', async () => (await deadLetters.count()) === 1 && (await isQueueEmpty()));
    expect((await deadLetters.list())[0]).toMatchObject({ event, reason: expect.stringContaining('UTF-8') });
  });

  it('are counted in the metrics', async () => {
    await deadLetters.add(breach(1), 'no such channel');
    const { url } = await start();
    await waitFor('the metric', async () =>
      /^queue_dead_letters 1$/m.test(await (await fetch(`${url}/metrics`)).text()),
    );
  });
});

describe('the app', () => {
  it('is ready with Redis, gateway and progress, and not without the gateway', async () => {
    const { url } = await start();
    const ready = await fetch(`${url}/health/ready`);
    expect(await ready.json()).toMatchObject({
      status: 'ok',
      checks: { redis: { status: 'up' }, gateway: { status: 'up' }, progress: { status: 'up' } },
    });
    await gateway.stop();
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });

  it('completes the events in flight at a shutdown and leaves the others on the queue', async () => {
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    gateway.reply = async () => {
      await held;
      return ACCEPT;
    };
    const app = await start({ CONCURRENCY: '2' });
    await queue.enqueue([breach(1), breach(2), breach(3)]);
    await waitFor('both messages', () => gateway.received.length === 2);
    const closed = app.close();
    open();
    await closed;
    expect(published()).toHaveLength(2);
    expect((await queue.depth()).waiting).toBe(1);
  });

  it('does not start with another secret than that of its key', async () => {
    const wrong = join(folder, 'wrong-secret');
    writeFileSync(wrong, 'another secret of thirty-two bytes or more');
    await expect(start({ ORIGIN_KEY_SECRET_FILE: wrong })).rejects.toThrow(/another secret/);
  });
});
