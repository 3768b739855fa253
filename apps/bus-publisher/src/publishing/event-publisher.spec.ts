import { createHeartbeatEvent, type DetectedEvent } from '@ssb/events';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { parseKeyRing } from '@ssb/keys';
import { createLogger, Metrics } from '@ssb/platform';
import { PublisherMetrics } from '../monitoring/publisher-metrics.js';
import { EventPublisher } from './event-publisher.js';
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
