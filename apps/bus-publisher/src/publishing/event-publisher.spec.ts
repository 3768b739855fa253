import { createHeartbeatEvent, type DetectedEvent } from '@ssb/events';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { KeyRing, parseKeyRing, type KeyVersion } from '@ssb/keys';
import { createLogger, Metrics } from '@ssb/platform';
import { PublisherMetrics } from '../monitoring/publisher-metrics.js';
import { EventPublisher, transactionId } from './event-publisher.js';
import { PublicationReports } from './publication-reports.js';

const CONFIG = { participants: [{ code: 'WPGENCO' }], senders: [] };
const KEY = generatePrivateKey();

let lines: string[];
let posted: DetectedEvent[];

/** A publisher without a gateway, in whose configuration a missing part causes a TypeError. */
function createPublisher(config: object = CONFIG, now = new Date()): EventPublisher {
  const metrics = new PublisherMetrics(new Metrics());
  const faults = { raise: () => undefined, clear: () => undefined, flush: () => Promise.resolve() };
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'bus-publisher', level: 'info', format: 'json', stream });
  const source = { current: () => config } as never;
  const webhook = { post: (event: DetectedEvent) => posted.push(event) > 0 };
  return new EventPublisher(
    source,
    {
      originAt: () => ({ key: KEY, did: didOfKey(KEY) }),
      transactionIds: { current: () => parseKeyRing('k'.repeat(32)) },
    },
    { sendMessage: () => Promise.reject(new Error('not reached')) },
    { now: () => now },
    faults,
    new PublicationReports(source, faults, webhook, metrics, log),
    metrics,
    log,
  );
}

beforeEach(() => {
  lines = [];
  posted = [];
});

it('an attempt that fails with an unexpected error is repeated, and its reason has only the name of the error', async () => {
  const event = {
    id: 'an-id',
    type: 'settlementbus.margin.breached.v1',
    subject: 'WPGENCO/prudential',
    participant: 'WPGENCO',
  } as DetectedEvent;
  expect(await createPublisher().publish({ event, attempt: 1 })).toEqual({
    outcome: 'retry',
    reason: 'the attempt failed with an unexpected TypeError',
  });
  expect(lines).toEqual([expect.stringContaining('"eventId":"an-id"')]);
});

it('posts an alert that a process after a restart could not publish, whatever its number of attempts', async () => {
  const event = {
    id: 'an-id',
    type: 'settlementbus.bridge.alert.raised.v1',
    participant: '*',
  } as DetectedEvent;
  const publisher = createPublisher();
  for (const attempt of [2, 7]) await publisher.publish({ event, attempt });
  expect(posted).toHaveLength(1);
});

it('keeps a heartbeat of the agreed time, although the local clock is 25 hours ahead', async () => {
  const agreed = new Date(Date.now() - 25 * 3_600_000);
  const event = createHeartbeatEvent(
    {
      participant: 'WPGENCO',
      channel: 'margin.channels.b.apps.c.iam.d',
      intervalMs: 60_000,
      polls: { prudential: { intervalMs: 1_000 }, settlement: { intervalMs: 1_000 } },
    },
    { detectedAt: agreed, traceparent: '' },
  );
  const { outcome } = await createPublisher({ ...CONFIG, routes: [] }, agreed).publish({ event, attempt: 1 });
  expect(outcome).toBe('retry');
});

describe('the transactionId of an event', () => {
  const ID = '780c3e8d-633e-4c3e-b6ca-ef014bc16af3';
  // Python: uuid.UUID(bytes=hmac.new(secret, id, hashlib.sha256).digest()[:16], version=4).
  const WITH_FIRST = '604d88a3-548e-4234-bfa2-bf2b5179ab56';
  const WITH_SECOND = '3a6696e6-451a-491a-b2fb-f79414502506';
  const OTHER_ID_WITH_FIRST = '7bea89bc-c476-42ba-8265-3b51f15322fc';

  const first: KeyVersion = {
    version: 1,
    activeFrom: new Date('2026-03-01T00:00:00Z'),
    secret: 'first secret of thirty-two letters',
  };
  const second: KeyVersion = {
    version: 2,
    activeFrom: new Date('2026-03-02T00:00:00Z'),
    secret: 'second secret of thirty-two letters',
  };
  const [before, overlap, after] = [[first], [first, second], [second]].map((keys) => new KeyRing(keys));

  /** Times in UTC. */
  function idOf(keys: KeyRing | undefined, time: string, detectedat = '2026-03-05T00:00:00.000Z', id = ID) {
    if (keys === undefined) throw new Error('no keys');
    const event = { id, time: `${time}Z`, detectedat } as DetectedEvent;
    return transactionId(event, keys);
  }

  it('is the HMAC of the event id with the key of the time of the fact', () => {
    expect(idOf(before, '2026-03-01T12:00:00')).toBe(WITH_FIRST);
    expect(idOf(overlap, '2026-03-01T23:59:59.999')).toBe(WITH_FIRST);
    expect(idOf(overlap, '2026-03-02T00:00:00')).toBe(WITH_SECOND);
    expect(idOf(before, '2026-03-01T12:00:00', undefined, '7db4121a-e0e8-4cd7-acc6-739066dffc9d')).toBe(
      OTHER_ID_WITH_FIRST,
    );
  });

  it('stays the same during a rotation, also for a fact that is detected again after it', () => {
    const detections = ['2026-03-01T12:00:01.000Z', '2026-03-09T00:00:00.000Z'];
    for (const detectedat of detections)
      for (const keys of [before, overlap])
        expect(idOf(keys, '2026-03-01T12:00:00', detectedat)).toBe(WITH_FIRST);
  });

  it('stays the same for each attempt of a fact whose time lies ahead', () => {
    const detectedat = '2026-03-01T18:00:00.000Z';
    for (const keys of [before, overlap])
      expect(idOf(keys, '2026-03-09T00:00:00', detectedat)).toBe(WITH_FIRST);
  });

  it('changes for older facts when their key is removed', () => {
    expect(idOf(after, '2026-03-01T12:00:00')).toBe(WITH_SECOND);
  });

  it('is made with the oldest key when the operator sends no valid time', () => {
    expect(idOf(overlap, 'at noon')).toBe(WITH_FIRST);
  });
});
