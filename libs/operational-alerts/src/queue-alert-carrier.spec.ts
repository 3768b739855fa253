import { randomUUID } from 'node:crypto';
import type { AlertTopic, DetectedEvent } from '@ssb/events';
import { validateEvent } from '@ssb/events';
import { createLogger, Degradations, Metrics } from '@ssb/platform';
import { openEventQueue, type EventQueue } from '@ssb/queue';
import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { MAX_ALERTS_PER_HOUR, MAX_ALERTS_PER_REASON } from './domain/alert-allowance.js';
import { CONFIRMATION_LIFETIME_MS } from './domain/confirmations.js';
import { SUMMARY_INTERVAL_MS } from './domain/fault-state.js';
import { FaultReporter } from './fault-reporter.js';
import { MAX_FAULTS, QueueAlertCarrier } from './queue-alert-carrier.js';

const app = 'bus-publisher';
const DEAD_LETTER: AlertTopic = { app, reason: 'dead-letter', participant: 'ALPHA' };
const GATEWAY: AlertTopic = { app, reason: 'gateway-unreachable', participant: '*' };
const HOUR_MS = 3_600_000;
const START = new Date('2026-03-02T00:00:00.000Z');
const after = (ms: number): Date => new Date(START.getTime() + ms);
const log = createLogger({ name: 'spec', level: 'silent', format: 'json' });

let server: TestRedis;
let redis: Redis;
let prefix: string;
let queue: EventQueue;
/** Events that were passed to the queue; each once, because the queue drops repeats. */
let queued: Map<string, DetectedEvent>;
let posted: DetectedEvent[];
let receiverIsDown: boolean;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'carrier-spec' });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(() => {
  prefix = `{${randomUUID()}}`;
  queue = openEventQueue(redis, prefix);
  queued = new Map();
  posted = [];
  receiverIsDown = false;
});
afterEach(async () => {
  expect((await queue.depth()).waiting).toBe(queued.size);
  await queue.close();
});

function newCarrier(enqueue = recordAndEnqueue): QueueAlertCarrier {
  const webhook = { post: (event: DetectedEvent) => posted.push(event) > 0 && receiverIsDown };
  return new QueueAlertCarrier({ app, redis, prefix, queue: { enqueue }, webhook, log });
}

async function recordAndEnqueue(events: readonly DetectedEvent[]): Promise<void> {
  await queue.enqueue(events);
  for (const event of events) queued.set(event.id, event);
}

const raise = (carrier: QueueAlertCarrier, topic: AlertTopic, now: Date, id?: string): Promise<void> =>
  carrier.raise({ topic, count: 1, detail: 'what happened', id }, now);
const kinds = (): string[] => [...queued.values()].map(({ type }) => type.split('.')[3] ?? '');
const data = (): Record<string, unknown>[] => [...queued.values()].map((event) => ({ ...event.data }));
const ofReason = (reason: string) => data().filter((each) => 'reason' in each && each.reason === reason);

it('queues the first occurrence at once, and further ones together after five minutes', async () => {
  const carrier = newCarrier();
  await raise(carrier, DEAD_LETTER, START);
  for (let n = 1; n <= 3; n += 1) await raise(carrier, DEAD_LETTER, after(n));
  await carrier.sendSummaries(after(SUMMARY_INTERVAL_MS - 1));
  expect(data()).toMatchObject([{ reason: 'dead-letter', count: 1, since: START.toISOString() }]);
  await carrier.sendSummaries(after(SUMMARY_INTERVAL_MS));
  await carrier.sendSummaries(after(2 * SUMMARY_INTERVAL_MS));
  expect(data()).toMatchObject([{ count: 1 }, { count: 4, since: START.toISOString() }]);
});

it('reports the end of a fault once, and a gateway fault to the webhook as well', async () => {
  const carrier = newCarrier();
  await carrier.clear(GATEWAY, START);
  await raise(carrier, GATEWAY, START);
  await carrier.clear(GATEWAY, after(5));
  await carrier.clear(GATEWAY, after(6));
  expect(kinds()).toEqual(['raised', 'cleared']);
  expect(posted).toEqual([...queued.values()]);
  await raise(carrier, GATEWAY, after(7));
  expect(data()).toMatchObject([{}, {}, { count: 1, since: after(7).toISOString() }]);
});

it('posts an alert about the gateway after a restart, when the receiver had not accepted it', async () => {
  receiverIsDown = true;
  await raise(newCarrier(), GATEWAY, START);
  const restarted = newCarrier();
  await restarted.sendSummaries(after(59_999));
  expect(posted).toHaveLength(1);
  await restarted.sendSummaries(after(60_000));
  receiverIsDown = false;
  await restarted.sendSummaries(after(75_000));
  await restarted.sendSummaries(after(90_000));
  expect(posted).toEqual(Array(3).fill([...queued.values()][0]));
  expect(await redis.exists(`${prefix}:alerts:${app}:unposted`)).toBe(0);
});

it('counts the occurrences of two replicas together, with one first alert', async () => {
  const replicas = [newCarrier(), newCarrier()];
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => raise(replicas[n % 2] as QueueAlertCarrier, DEAD_LETTER, after(n))),
  );
  expect(queued.size).toBe(1);
  await Promise.all(replicas.map((each) => each.sendSummaries(after(SUMMARY_INTERVAL_MS + 10))));
  expect(data()).toMatchObject([{ count: 1 }, { count: 10 }]);
});

it('queues the saved alert after a crash, with the same id, and counts a repeated call once', async () => {
  const ids: string[] = [];
  const crashing = newCarrier((events) => {
    ids.push(...events.map(({ id }) => id));
    return Promise.reject(new Error('crash'));
  });
  await expect(raise(crashing, DEAD_LETTER, START, 'call-1')).rejects.toThrow('crash');
  const restarted = newCarrier();
  await restarted.sendSummaries(after(1));
  await raise(restarted, DEAD_LETTER, after(2), 'call-1');
  await restarted.sendSummaries(after(SUMMARY_INTERVAL_MS + 2));
  expect([...queued.keys()]).toEqual(ids);
  expect(data()).toMatchObject([{ count: 1 }]);
});

it('keeps a fault that another replica confirms, and ends it when that one is gone', async () => {
  let now = START;
  const newReporter = (): FaultReporter =>
    new FaultReporter({
      app,
      carrier: newCarrier(),
      degradations: new Degradations(),
      metrics: new Metrics(),
      log,
      now: () => now,
    });
  const [faulty, healthy] = [newReporter(), newReporter()];
  const checkAt = async (ms: number, ...reporters: FaultReporter[]) => {
    now = after(ms);
    for (const reporter of reporters) {
      reporter.check();
      await reporter.flush();
    }
  };
  const fault = { reason: GATEWAY.reason, participant: GATEWAY.participant };
  faulty.raise({ ...fault, detail: 'wrong password' });
  await faulty.flush();
  healthy.clear(fault);
  for (let ms = 0; ms <= 60_000; ms += 15_000) await checkAt(ms, healthy, faulty);
  expect(kinds()).toEqual(['raised']);
  // The faulty one is killed.
  await checkAt(60_000 + CONFIRMATION_LIFETIME_MS - 1, healthy);
  expect(kinds()).toEqual(['raised']);
  await checkAt(60_000 + CONFIRMATION_LIFETIME_MS, healthy);
  await checkAt(200_000, healthy);
  expect(kinds()).toEqual(['raised', 'cleared']);
});

it('ends a fault when the last replica that had it clears or withdraws it', async () => {
  const [first, second, healthy] = [newCarrier(), newCarrier(), newCarrier()];
  await raise(first, GATEWAY, START);
  await raise(second, GATEWAY, START);
  await first.clear(GATEWAY, after(1));
  expect(kinds()).toEqual(['raised']);
  await second.withdraw(GATEWAY, after(2));
  expect(kinds()).toEqual(['raised']);
  await healthy.clear(GATEWAY, after(3));
  expect(kinds()).toEqual(['raised', 'cleared']);
});

it('holds back the alerts above the hourly limits, reports that, and sends their counts later', async () => {
  const carrier = newCarrier();
  const topicOf = (n: number): AlertTopic => ({ ...DEAD_LETTER, participant: `P${n}` });
  const count = MAX_ALERTS_PER_REASON + 5;
  for (let n = 0; n < count; n += 1) {
    await raise(carrier, topicOf(n), after(n));
    await raise(carrier, topicOf(n), after(n));
  }
  expect(ofReason('dead-letter')).toHaveLength(MAX_ALERTS_PER_REASON);
  expect(ofReason('alerts-held-back')).toHaveLength(1);
  // Another reason is not affected.
  await raise(carrier, GATEWAY, after(count));
  expect(ofReason('gateway-unreachable')).toHaveLength(1);
  await carrier.sendSummaries(after(HOUR_MS - 1));
  expect(ofReason('dead-letter')).toHaveLength(MAX_ALERTS_PER_REASON);
  await carrier.sendSummaries(after(HOUR_MS));
  await carrier.sendSummaries(after(2 * HOUR_MS));
  expect(kinds().filter((kind) => kind === 'cleared')).toEqual(['cleared', 'cleared']);
  const counts = new Map<string, number>();
  for (const event of queued.values())
    if ('count' in event.data && event.data.reason === 'dead-letter')
      counts.set(event.participant, event.data.count);
  expect(counts.size).toBe(count);
  expect([...counts.values()].every((each) => each === 2)).toBe(true);
});

it('sends no more than the hourly limit of all reasons together, and the first alert of each', async () => {
  const carrier = newCarrier();
  const reasons = ['dead-letter', 'clock-offset', 'gateway-unreachable', 'channel-not-permitted'] as const;
  for (const reason of reasons)
    for (let n = 0; n < MAX_ALERTS_PER_REASON; n += 1)
      await raise(carrier, { app, reason, participant: `P${n}` }, START);
  expect(queued.size).toBe(MAX_ALERTS_PER_HOUR + 2);
  expect(ofReason('alerts-held-back')).toHaveLength(1);
  expect(ofReason('channel-not-permitted')).toHaveLength(1);
});

it('reports a fault that began and ended while its alert was held back', async () => {
  const carrier = newCarrier();
  for (let n = 0; n < MAX_ALERTS_PER_REASON; n += 1)
    await raise(carrier, { ...GATEWAY, channel: `c${n}` }, START);
  await raise(carrier, GATEWAY, after(1));
  await carrier.clear(GATEWAY, after(2));
  const before = queued.size;
  await carrier.sendSummaries(after(HOUR_MS));
  const sent = data().slice(before);
  // Different faults have no order.
  expect(sent.filter(({ reason }) => reason === 'alerts-held-back')).toMatchObject([
    { clearedAt: expect.any(String) },
  ]);
  expect(sent.filter(({ reason }) => reason !== 'alerts-held-back')).toMatchObject([
    { reason: 'gateway-unreachable', count: 1, detail: 'what happened' },
    { reason: 'gateway-unreachable', count: 1, clearedAt: expect.any(String) },
  ]);
});

it('keeps a bounded number of faults, counts the others by reason, and deletes ended ones after a day', async () => {
  const carrier = newCarrier();
  const pipeline = redis.pipeline();
  const since = START.toISOString();
  for (let n = 0; n < MAX_FAULTS; n += 1) {
    const topic = { ...DEAD_LETTER, participant: `P${n}` };
    const state = { topic, since, count: 1, reportedCount: 1, reportedAt: since, sequence: 1 };
    pipeline.hset(`${prefix}:alerts:${app}`, `P${n}/x`, JSON.stringify({ state, callIds: [] }));
  }
  await pipeline.exec();
  await raise(carrier, { ...DEAD_LETTER, participant: 'NEW1' }, after(1));
  await raise(carrier, { ...DEAD_LETTER, participant: 'NEW2' }, after(2));
  await carrier.sendSummaries(after(SUMMARY_INTERVAL_MS + 2));
  expect([...queued.values()]).toMatchObject([
    { participant: '*', data: { reason: 'dead-letter', count: 1 } },
    { participant: '*', data: { reason: 'dead-letter', count: 2 } },
  ]);
  await carrier.sendSummaries(after(48 * HOUR_MS));
  expect(await redis.hkeys(`${prefix}:alerts:${app}`)).toEqual(['allowance']);
});

it('sends events that match their schemas', async () => {
  const carrier = newCarrier();
  await raise(carrier, { ...GATEWAY, channel: 'a.channels.b' }, START);
  await carrier.clear({ ...GATEWAY, channel: 'a.channels.b' }, after(1));
  for (const event of queued.values()) {
    const signed = { ...event, channel: 'a', topic: 'b', signedat: START.toISOString(), proof: 'x' };
    const verdict = validateEvent(signed);
    const problems = verdict.ok || verdict.reason !== 'schema' ? [] : verdict.problems;
    expect(problems.filter((problem) => problem.includes('/data'))).toEqual([]);
  }
});
