import { randomUUID } from 'node:crypto';
import type { AlertTopic, DetectedEvent } from '@ssb/events';
import { ContentAuthenticator, FixedKeys, KeyRing, parseKeyRing, type KeySource } from '@ssb/keys';
import { createLogger, Degradations, Metrics } from '@ssb/platform';
import { openEventQueue, type EventQueue } from '../queue/event-queue.js';
import { AuthenticatedHash, type DiscardReason } from '../redis/authenticated-hash.js';
import { waitFor } from '@ssb/testing';
import {
  MAX_ALERTS_PER_REASON,
  CONFIRMATION_LIFETIME_MS,
  SUMMARY_INTERVAL_MS,
  MAX_FAULTS,
} from '@ssb/faults';
import { QueueFaultCarrier } from './queue-fault-carrier.js';
import { QueueFaultReporting } from './queue-fault-reporting.js';
import { redis, setUpRedis } from '../../test/redis-fixture.js';

const app = 'bus-publisher';
const DEAD_LETTER: AlertTopic = { app, reason: 'dead-letter', participant: 'ALPHA' };
const GATEWAY: AlertTopic = { app, reason: 'gateway-unreachable', participant: '*' };
const HOUR_MS = 3_600_000;
const START = new Date('2026-03-02T00:00:00.000Z');
const after = (ms: number): Date => new Date(START.getTime() + ms);
const log = createLogger({ name: 'spec', level: 'silent', format: 'json' });
const keys = new FixedKeys(parseKeyRing('a secret of more than thirty-two characters'));

let prefix: string;
let queue: EventQueue;
/** Events that were passed to the queue; each once, because the queue drops repeats. */
let queued: Map<string, DetectedEvent>;
let posted: DetectedEvent[];
let receiverIsDown: boolean;
let ring: KeyRing;
let discarded: DiscardReason[];

const keyOf = (version: number) => ({
  version,
  activeFrom: new Date(version),
  secret: String(version).repeat(32),
});
const integrityKeys: KeySource = { current: () => ring, refresh: () => Promise.resolve() };
const authenticator = new ContentAuthenticator(integrityKeys, 'operational-alerts');
/** The text that another purpose or key would have. */
const textOf = (key: string, field: string, value: object, purpose = 'operational-alerts'): string =>
  new AuthenticatedHash(redis, key, new ContentAuthenticator(integrityKeys, purpose)).toText(
    field,
    JSON.stringify(value),
  );

setUpRedis();
beforeEach(() => {
  prefix = `{${randomUUID()}}`;
  queue = openEventQueue({ redis, prefix, keys });
  queued = new Map();
  posted = [];
  receiverIsDown = false;
  ring = new KeyRing([keyOf(1)]);
  discarded = [];
});
afterEach(async () => {
  expect((await queue.depth()).waiting).toBe(queued.size);
  await queue.close();
});

function newCarrier(enqueue = recordAndEnqueue): QueueFaultCarrier {
  const webhook = { post: (event: DetectedEvent) => posted.push(event) > 0 && receiverIsDown };
  return new QueueFaultCarrier({
    app,
    redis,
    prefix,
    authenticator,
    onDiscarded: (values) => discarded.push(...values.map(({ reason }) => reason)),
    queue: { enqueue },
    webhook,
    log,
  });
}

async function recordAndEnqueue(events: readonly DetectedEvent[]): Promise<void> {
  await queue.enqueue(events);
  for (const event of events) queued.set(event.id, event);
}

const raise = (carrier: QueueFaultCarrier, topic: AlertTopic, now: Date, id?: string): Promise<void> =>
  carrier.raise({ topic, count: 1, detail: 'what happened', id }, now);
const kinds = (): string[] => [...queued.values()].map(({ type }) => type.split('.')[3] ?? '');
const data = (): Record<string, unknown>[] => [...queued.values()].map((event) => ({ ...event.data }));
const ofReason = (reason: string) => data().filter((each) => 'reason' in each && each.reason === reason);

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
    Array.from({ length: 10 }, (_, n) => raise(replicas[n % 2] as QueueFaultCarrier, DEAD_LETTER, after(n))),
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
  for (const ms of [30_000, 61_000, 62_000, 1_000_000, HOUR_MS - 1]) await carrier.sendSummaries(after(ms));
  expect(ofReason('dead-letter')).toHaveLength(MAX_ALERTS_PER_REASON);
  expect(ofReason('alerts-held-back').map((each) => 'count' in each && each.count)).toEqual([1, 5, 25, 25]);
  expect(ofReason('alerts-held-back')[1]).toMatchObject({
    detail: expect.stringMatching(/ 5 wait: 5 dead-letter \(5 participants\)\. One of them: P\d+\//),
  });
  await carrier.sendSummaries(after(HOUR_MS));
  await carrier.sendSummaries(after(2 * HOUR_MS));
  expect(kinds().filter((kind) => kind === 'cleared')).toEqual(['cleared', 'cleared']);
  const counts = new Map<string, number>();
  for (const event of queued.values())
    if ('reason' in event.data && event.data.reason === 'dead-letter')
      counts.set(event.participant, event.data.count);
  expect(counts.size).toBe(count);
  expect([...counts.values()].every((each) => each === 2)).toBe(true);
});

it('leaves alerts that it has just sent out of the number of those that wait', async () => {
  const carrier = newCarrier();
  const send = async (reason: AlertTopic['reason'], count: number, ms: number) => {
    for (let n = 0; n < count; n += 1) await raise(carrier, { app, reason, participant: `P${n}` }, after(ms));
  };
  await send('clock-offset', MAX_ALERTS_PER_REASON + 1, 0);
  await send('dead-letter', MAX_ALERTS_PER_REASON - 1, 0);
  await send('dead-letter', 3, 1);
  // One of the three summaries takes the last place.
  await carrier.sendSummaries(after(SUMMARY_INTERVAL_MS));
  expect(ofReason('dead-letter')).toHaveLength(MAX_ALERTS_PER_REASON);
  expect(ofReason('alerts-held-back').at(-1)).toMatchObject({
    count: 3,
    detail: expect.stringContaining(
      ' 3 wait: 2 dead-letter (2 participants), 1 clock-offset (one participant).',
    ),
  });
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
    const key = `${prefix}:alerts:${app}`;
    // Most of them only have to be counted.
    const text = n < 10 ? textOf(key, `P${n}/x`, { state, callIds: [] }) : '{}';
    pipeline.hset(key, `P${n}/x`, text);
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

it('ends the fault of further documents when no process confirms it any more', async () => {
  const carrier = newCarrier();
  const pipeline = redis.pipeline();
  const key = `${prefix}:alerts:${app}`;
  for (let n = 0; n < MAX_FAULTS; n += 1) pipeline.hset(key, `P${n}/x`, '{}');
  await pipeline.exec();
  const topic: AlertTopic = { ...GATEWAY, participant: 'ALPHA', interface: 'sink', document: 'a' };
  await raise(carrier, topic, START);
  expect([...queued.values()]).toMatchObject([{ participant: '*', data: { document: '*' } }]);
  await carrier.sendSummaries(after(CONFIRMATION_LIFETIME_MS - 1));
  expect(kinds()).toEqual(['raised']);
  await carrier.sendSummaries(after(CONFIRMATION_LIFETIME_MS));
  expect(kinds()).toEqual(['raised', 'cleared']);
});

it('queues and posts no saved alert that another client wrote, and deletes it', async () => {
  const saved: DetectedEvent[] = [];
  const crashing = newCarrier((events) => {
    saved.push(...events);
    return Promise.reject(new Error('crash'));
  });
  await expect(raise(crashing, GATEWAY, START)).rejects.toThrow('crash');
  const [event] = saved as [DetectedEvent];
  const [unsent, unposted] = ['unsent', 'unposted'].map((name) => `${prefix}:alerts:${app}:${name}`) as [
    string,
    string,
  ];
  const genuine = (await redis.hget(unsent, event.id)) ?? '';
  await redis.hset(unsent, {
    plain: JSON.stringify({ ...event, id: 'plain' }),
    altered: genuine.replace(/"participant":"."/, '"participant":"X"'),
    copied: genuine,
    'other-purpose': textOf(unsent, 'other-purpose', { ...event, id: 'other-purpose' }, 'queue-job'),
    'other-key': textOf(unposted, 'other-key', { ...event, id: 'other-key' }),
  });
  await redis.hset(unposted, event.id, genuine, Buffer.from([0xff]), Buffer.from([0xfe]));
  await newCarrier().sendSummaries(after(120_000));
  expect([...queued.values()]).toEqual([event]);
  expect(posted).toEqual([event]);
  expect(await redis.exists(unsent, unposted)).toBe(0);
  expect(discarded.toSorted()).toEqual(['malformed', ...Array(5).fill('mismatch'), 'missing']);
});

it('uses no fault and no allowance that another client wrote', async () => {
  const key = `${prefix}:alerts:${app}`;
  const reported = {
    topic: DEAD_LETTER,
    since: START,
    count: 9,
    reportedCount: 9,
    reportedAt: START,
    sequence: 1,
  };
  const forged = { state: reported, callIds: ['call-1'] };
  const heldBack = { startedAt: START, sent: { 'dead-letter': 1_000 } };
  await redis.hset(key, {
    'ALPHA/bridge/bus-publisher/dead-letter': JSON.stringify(forged),
    allowance: `v1:${'A'.repeat(43)} ${JSON.stringify(heldBack)}`,
  });
  await raise(newCarrier(), DEAD_LETTER, after(1), 'call-1');
  expect(data()).toMatchObject([{ reason: 'dead-letter', count: 1, since: after(1).toISOString() }]);
  expect(discarded.toSorted()).toEqual(['mismatch', 'missing']);
});

it.each(['', ':unsent', ':unposted'])(
  'sends alerts although another client made the key alerts:<app>%s something else than a hash',
  async (suffix) => {
    receiverIsDown = true;
    const carrier = newCarrier();
    const forge = () => redis.set(`${prefix}:alerts:${app}${suffix}`, 'x');
    await forge();
    await raise(carrier, GATEWAY, START);
    expect(kinds()).toEqual(['raised']);
    await forge();
    await carrier.sendSummaries(after(1));
    expect(discarded).toContain('malformed');
    expect(new Set(discarded)).toEqual(new Set(['malformed']));
    await raise(carrier, DEAD_LETTER, after(2));
    expect(ofReason('dead-letter')).toHaveLength(1);
    expect(await redis.type(`${prefix}:alerts:${app}`)).toBe('hash');
  },
);

it('keeps what a former key authenticated, and authenticates it with the active key before the former one is removed', async () => {
  const carrier = newCarrier();
  await raise(carrier, DEAD_LETTER, START);
  ring = new KeyRing([keyOf(1), keyOf(2)]);
  await carrier.sendSummaries(after(1));
  ring = new KeyRing([keyOf(2)]);
  await raise(newCarrier(), DEAD_LETTER, after(2));
  await carrier.sendSummaries(after(SUMMARY_INTERVAL_MS));
  expect(data()).toMatchObject([{ count: 1 }, { count: 2, since: START.toISOString() }]);
  expect(discarded).toEqual([]);
});

it('reports discarded values once a minute, although the report itself is forged each time', async () => {
  const key = `${prefix}:alerts:${app}`;
  const field = `*/bridge/${app}/state-authentication-failed`;
  // Another client replaces the state of the report as often as it can.
  const enqueue = async (events: readonly DetectedEvent[]) => {
    await recordAndEnqueue(events);
    await redis.hset(key, field, 'forged');
  };
  const metrics = new Metrics();
  const reporting = new QueueFaultReporting({
    app,
    settings: { QUEUE_PREFIX: prefix, QUEUE_UNAVAILABLE_AFTER_MS: 60_000 },
    redis,
    queue: { enqueue } as unknown as EventQueue,
    integrityKeys,
    degradations: new Degradations(),
    metrics,
    log,
  });
  await redis.hset(key, field, 'forged', 'another', 'forged');
  reporting.start();
  await waitFor('the alert', () => ofReason('state-authentication-failed').length === 1);
  await reporting.reporter.flush();
  for (let n = 0; n < 3; n += 1) {
    reporting.reporter.check();
    await reporting.reporter.flush();
  }
  expect(data()).toMatchObject([
    { reason: 'state-authentication-failed', count: 1, detail: expect.stringContaining('missing 2') },
  ]);
  expect(await metrics.registry.getSingleMetricAsString('settlement_bridge_state_discarded_total')).toMatch(
    /state="operational-alerts",reason="missing"} [3-9]/,
  );
  await reporting.stop();
});
