import type { DetectedEvent } from '@ssb/events';
import { openEventQueue } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { DeliveredEvent } from '../harness/running-system.js';
import { running } from './shared-system.js';

const CHANNEL_COUNT = 3;

/** Deliveries before the current test, which do not concern it. */
let earlier = 0;

type AlertKind = 'raised' | 'cleared';

function findAlerts(kind: AlertKind, reason: string): DeliveredEvent[] {
  return running
    .deliveredEvents()
    .slice(earlier)
    .filter(
      ({ type, data }) => type === `settlementbus.bridge.alert.${kind}.v1` && data['reason'] === reason,
    );
}

async function waitForAlerts(kind: AlertKind, reason: string): Promise<DeliveredEvent[]> {
  await waitFor(`an alert ${reason} ${kind}`, () => findAlerts(kind, reason).length > 0);
  return findAlerts(kind, reason);
}

/** Waits for alerts of all channels. On a busy machine a channel has more than one. */
async function waitForChannels(kind: AlertKind, reason: string): Promise<DeliveredEvent[]> {
  await waitFor(
    `alerts ${reason} ${kind} of ${CHANNEL_COUNT} channels`,
    () => new Set(findAlerts(kind, reason).map(({ data }) => data['channel'])).size === CHANNEL_COUNT,
  );
  return findAlerts(kind, reason);
}

const bodyOf = ({ id }: DeliveredEvent): string =>
  running.receiver.deliveries.find((delivery) => delivery.id === id)?.body ?? '';

describe('a fault', () => {
  beforeEach(() => {
    earlier = running.receiver.deliveries.length;
  });

  it('such as a dead letter, which the metrics count, or a forged job becomes an alert that is signed and travels on the bus', async () => {
    const redis = new Redis(running.redis.url, { maxRetriesPerRequest: null });
    const queue = openEventQueue({ redis, keys: running.integrityKeys() });
    const raw = new Queue('settlement-events', { connection: redis, prefix: '{bridge}' });
    try {
      const id = '0b5e3a0e-5f6c-4d7e-8a9b-0c1d2e3f4a5b';
      const type = 'settlementbus.statement.published.v1';
      const event = { specversion: '1.0', id, type, participant: 'WPGENCO' } as DetectedEvent;
      await queue.enqueue([event]);
      const metrics = `http://127.0.0.1:${running.system.plan.ports['bus-publisher']}/metrics`;
      await waitFor('one dead letter in the metrics', async () =>
        /^settlement_bridge_queue_dead_letters 1$/m.test(await (await fetch(metrics)).text()),
      );
      await raw.add('forged', { event }, { jobId: 'forged' });
      for (const reason of ['dead-letter', 'job-authentication-failed']) {
        const [alert] = await waitForAlerts('raised', reason);
        expect(alert).toMatchObject({ data: { app: 'bus-publisher', count: 1 } });
        expect(JSON.parse(alert === undefined ? '{}' : bodyOf(alert))).toHaveProperty('proof');
      }
    } finally {
      await raw.close();
      await queue.close();
      redis.disconnect();
    }
  });

  it('a killed subscriber is reported by the poller, a killed poller is noticed by its missing heartbeats, and their return ends the alerts', async () => {
    const [poller, subscriber] = [running.system.process('poller'), running.system.process('subscriber')];
    await subscriber.kill();
    const [alert] = await waitForAlerts('raised', 'subscriber-silent');
    expect(alert?.data['app']).toBe('poller');
    expect(alert?.data['detail']).toMatch(/^The subscriber has not responded since \S+: .+\.$/);
    // Only the bus-publisher adds a proof, so the alert came from the poller itself.
    expect(alert).not.toHaveProperty('proof');

    const impatient = await running.createReplica('subscriber', 'subscriber-impatient', {
      PORT: String(running.system.plan.ports.subscriber),
      HEARTBEAT_TIMEOUT_MS: '2000',
    });
    await impatient.start();
    try {
      await waitForAlerts('cleared', 'subscriber-silent');
      await poller.kill();
      const missing = await waitForChannels('raised', 'heartbeat-missing');
      for (const each of missing)
        expect(JSON.parse(bodyOf(each))).toMatchObject({ local: true, participant: 'WPGENCO' });
      await poller.start();
      await waitForChannels('cleared', 'heartbeat-missing');
    } finally {
      await impatient.stop();
    }
  });
});
