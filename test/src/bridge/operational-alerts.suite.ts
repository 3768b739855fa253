import type { DetectedEvent } from '@ssb/events';
import { openEventQueue } from '@ssb/redis-queue';
import { waitFor } from '@ssb/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { DeliveredEvent } from '../harness/running-system.js';
import { running } from './shared-system.js';

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

async function waitForAlerts(kind: AlertKind, reason: string, count = 1): Promise<DeliveredEvent[]> {
  await waitFor(`${count} alerts ${reason} ${kind}`, () => findAlerts(kind, reason).length >= count);
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

  it('a killed poller is noticed by its missing heartbeats, and its return ends the alert', async () => {
    const poller = running.system.process('poller');
    const subscriber = running.system.process('subscriber');
    await poller.kill();
    await subscriber.stop();
    const impatient = await running.createReplica('subscriber', 'subscriber-impatient', {
      HEARTBEAT_TIMEOUT_MS: '2000',
    });
    await impatient.start();
    try {
      const raised = await waitForAlerts('raised', 'heartbeat-missing', 3);
      expect(new Set(raised.map(({ data }) => data['channel'])).size).toBe(3);
      for (const alert of raised)
        expect(JSON.parse(bodyOf(alert))).toMatchObject({ local: true, participant: 'WPGENCO' });
    } finally {
      await impatient.stop();
      await subscriber.start();
      await poller.start();
    }
    await waitForAlerts('cleared', 'heartbeat-missing', 3);
  });

  it('a killed subscriber is reported to the operations webhook by the poller, and its return ends the fault', async () => {
    const subscriber = running.system.process('subscriber');
    await subscriber.kill();
    try {
      const [alert] = await waitForAlerts('raised', 'subscriber-silent');
      expect(alert?.data['app']).toBe('poller');
      expect(alert?.data['detail']).toMatch(/^The subscriber has not responded since \S+: ECONNREFUSED\.$/);
      // Only the bus-publisher adds a proof, so the alert came from the poller itself.
      expect(alert).not.toHaveProperty('proof');
    } finally {
      await subscriber.start();
    }
    await waitForAlerts('cleared', 'subscriber-silent');
  });

  it('a publisher with a wrong password at its gateway is not ready, and alerts past the gateway', async () => {
    const publisher = running.system.process('bus-publisher');
    await publisher.stop();
    const port = String(running.system.plan.ports['bus-publisher']);
    const wrong = await running.createReplica('bus-publisher', 'bus-publisher-wrong', {
      PORT: port,
      GATEWAY_PASSWORD: 'not the password',
      GATEWAY_PASSWORD_FILE: '',
    });
    await wrong.start();
    try {
      const [alert] = await waitForAlerts('raised', 'gateway-credentials-refused');
      expect(alert?.data['app']).toBe('bus-publisher');
      const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
      expect(ready.status).toBe(503);
      expect(await ready.text()).toContain('The gateway refuses the user or password');
    } finally {
      await wrong.stop();
      await publisher.start();
    }
    await waitForAlerts('cleared', 'gateway-credentials-refused');
  });

  it('events that a wrong BRIDGE_ORIGIN_DID sent to the quarantine are alerted after the correction', async () => {
    const subscriber = running.system.process('subscriber');
    await subscriber.stop();
    const wrong = await running.createReplica('subscriber', 'subscriber-wrong', {
      BRIDGE_ORIGIN_DID: `did:ethr:0x${'1'.repeat(40)}`,
    });
    await wrong.start();
    const facts = await running.market.publishStatements(4);
    try {
      const [alert] = await waitForAlerts('raised', 'message-quarantined');
      expect(alert?.data['detail']).toContain('origin-not-allowed');
    } finally {
      await wrong.stop();
    }
    expect(facts.flatMap((fact) => running.findDeliveredEvents(fact))).toEqual([]);
    await subscriber.start();
    await running.waitForDeliveries(facts);
  });
});
