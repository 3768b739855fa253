import { createHeartbeatEvent, type DetectedEvent } from '@ssb/events';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { parseKeyRing } from '@ssb/keys';
import { createLogger, Metrics } from '@ssb/platform';
import { EventPublisher } from './publish.js';
import { PublisherMetrics } from './publisher-metrics.js';

const CONFIG = { participants: [{ code: 'WPGENCO' }], senders: [] } as never;
const KEY = generatePrivateKey();

describe('an attempt that fails with an unexpected error', () => {
  it('is repeated, and its reason has only the name of the error', async () => {
    const lines: string[] = [];
    const publisher = new EventPublisher({
      // A configuration without routes causes a TypeError.
      config: CONFIG,
      originKeys: { activeAt: () => ({ key: KEY, did: didOfKey(KEY) }) },
      transactionIdKeys: { current: () => parseKeyRing('k'.repeat(32)) },
      gateway: { sendMessage: () => Promise.reject(new Error('not reached')) },
      faults: { raise: () => undefined, clear: () => undefined, flush: () => Promise.resolve() },
      now: () => new Date(),
      operationsWebhook: { post: () => false },
      metrics: new PublisherMetrics(new Metrics()),
      log: createLogger({
        name: 'bus-publisher',
        level: 'info',
        format: 'json',
        stream: { write: (line) => void lines.push(line) },
      }),
    });
    const event = {
      id: 'an-id',
      type: 'settlementbus.margin.breached.v1',
      subject: 'WPGENCO/prudential',
      participant: 'WPGENCO',
    };
    const result = await publisher.publish({ event: event as DetectedEvent, attempt: 1 });
    expect(result).toEqual({
      outcome: 'retry',
      reason: 'the attempt failed with an unexpected TypeError',
    });
    expect(lines).toEqual([expect.stringContaining('"eventId":"an-id"')]);
  });
});

it('posts an alert that a process after a restart could not publish, whatever its number of attempts', async () => {
  const posted: DetectedEvent[] = [];
  const publisher = new EventPublisher({
    config: CONFIG,
    originKeys: { activeAt: () => ({ key: KEY, did: didOfKey(KEY) }) },
    transactionIdKeys: { current: () => parseKeyRing('k'.repeat(32)) },
    gateway: { sendMessage: () => Promise.reject(new Error('not reached')) },
    faults: { raise: () => undefined, clear: () => undefined, flush: () => Promise.resolve() },
    now: () => new Date(),
    operationsWebhook: { post: (event) => posted.push(event) > 0 },
    metrics: new PublisherMetrics(new Metrics()),
    log: createLogger({ name: 'bus-publisher', level: 'silent', format: 'json' }),
  });
  const event = {
    id: 'an-id',
    type: 'settlementbus.bridge.alert.raised.v1',
    participant: '*',
  } as DetectedEvent;
  for (const attempt of [2, 7]) await publisher.publish({ event, attempt });
  expect(posted).toHaveLength(1);
});

it('keeps a heartbeat of the agreed time, although the local clock is 25 hours ahead', async () => {
  const agreed = new Date(Date.now() - 25 * 3_600_000);
  const publisher = new EventPublisher({
    config: { ...(CONFIG as object), routes: [] } as never,
    originKeys: { activeAt: () => ({ key: KEY, did: didOfKey(KEY) }) },
    transactionIdKeys: { current: () => parseKeyRing('k'.repeat(32)) },
    gateway: { sendMessage: () => Promise.reject(new Error('not reached')) },
    faults: { raise: () => undefined, clear: () => undefined, flush: () => Promise.resolve() },
    now: () => agreed,
    operationsWebhook: { post: () => false },
    metrics: new PublisherMetrics(new Metrics()),
    log: createLogger({ name: 'bus-publisher', level: 'silent', format: 'json' }),
  });
  const event = createHeartbeatEvent(
    {
      participant: 'WPGENCO',
      channel: 'margin.channels.b.apps.c.iam.d',
      intervalMs: 60_000,
      polls: { prudential: { intervalMs: 1_000 }, settlement: { intervalMs: 1_000 } },
    },
    { detectedAt: agreed, traceparent: '' },
  );
  const { outcome } = await publisher.publish({ event, attempt: 1 });
  expect(outcome).toBe('retry');
});
