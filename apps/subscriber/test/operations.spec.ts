import { waitFor } from '@ssb/testing';
import type { RunningSubscriber } from './support/running-subscriber.js';
import { CHANNEL, heartbeatMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

interface Alert {
  readonly type: string;
  readonly participant: string;
  readonly local?: boolean;
  readonly proof?: string;
  readonly data: { readonly reason: string; readonly channel?: string; readonly detail?: string };
}

const RAISED = 'settlementbus.bridge.alert.raised.v1';
const CLEARED = 'settlementbus.bridge.alert.cleared.v1';

const fixture = SubscriberFixture.use();

const start = (): Promise<RunningSubscriber> =>
  fixture.start(fixture.environment({ webhookTypes: ['settlementbus.bridge.alert.*'] }), {
    HEARTBEAT_TIMEOUT_MS: '1000',
  });

const findAlert = (type: string, reason: string): Alert | undefined =>
  fixture.deliveries
    .map(({ body }) => JSON.parse(body) as Alert)
    .find((alert) => alert.type === type && alert.data.reason === reason);
const alerted = (type: string, reason: string) =>
  waitFor(`${type} of ${reason}`, () => findAlert(type, reason));

/** Delivers heartbeats until the alert comes, because one alone is soon too old on a slow machine. */
const deliverUntil = (type: string, reason: string, options?: Parameters<typeof heartbeatMessage>[0]) =>
  waitFor(`${type} of ${reason}`, async () => {
    fixture.gateway.deliver(await heartbeatMessage(options));
    return findAlert(type, reason);
  });

it('reports missing heartbeats and, after a restart, their return; a late one does not count', async () => {
  const first = await start();
  const raised = await alerted(RAISED, 'heartbeat-missing');
  expect(raised).toMatchObject({
    participant: 'WPGENCO',
    local: true,
    data: { channel: CHANNEL, detail: expect.stringContaining("the subscriber's gateway") },
  });
  expect(raised.proof).toBeUndefined();

  // An evaluation that is later than the timeout does not count the arrival any more.
  await waitFor('the evaluation of a late heartbeat', async () => {
    fixture.gateway.deliver(await heartbeatMessage({ ageMs: 60_000 }));
    return first.faults().some(({ detail }) => detail.startsWith('Heartbeats arrive late'));
  });
  expect(findAlert(CLEARED, 'heartbeat-missing')).toBeUndefined();

  await fixture.stopSubscriber();
  expect(first.faults()).toEqual([]);
  const subscriber = await start();
  expect(await deliverUntil(CLEARED, 'heartbeat-missing')).toMatchObject({ local: true });
  expect(await subscriber.metrics()).toMatch(
    /^settlement_bridge_subscriber_heartbeat_age_seconds\{participant="WPGENCO",channel="[^"]+"\} \d/m,
  );
  const lines = subscriber.lines.filter(({ eventType }) => String(eventType).includes('heartbeat'));
  expect(new Set(lines.map(({ level, step }) => `${String(level)} ${String(step)}`))).toEqual(
    new Set(['debug verified', 'debug archived']),
  );
  const listed = await fixture.queries.listArchived();
  expect(new Set(listed.map(({ type }) => type))).toEqual(new Set([RAISED, CLEARED]));
});

it('reports old data of the operator until it is current, a gap, and the time of the newest test heartbeat', async () => {
  const subscriber = await start();
  expect(await deliverUntil(RAISED, 'operator-data-old', { pollAgeMs: 40_000 })).toMatchObject({
    participant: 'WPGENCO',
    data: { detail: expect.stringMatching(/^prudential: .* 40 s .*settlement: /) },
  });
  await deliverUntil(CLEARED, 'operator-data-old');

  fixture.gateway.reportGap({ fqcn: CHANNEL, after: 'm1', upTo: 'm7' });
  expect(await alerted(RAISED, 'retention-gap')).toMatchObject({
    participant: '*',
    local: true,
    data: { channel: CHANNEL, detail: 'The messages after m1 up to m7 were removed from the bus.' },
  });
  expect(subscriber.lines).toContainEqual(
    expect.objectContaining({ level: 'error', msg: 'retention gap', after: 'm1', upTo: 'm7' }),
  );
  expect(await subscriber.metrics()).toMatch(/^settlement_bridge_subscriber_gaps_total 1$/m);
  expect(fixture.gateway.connections).toHaveLength(1);

  // The older one comes later.
  const newer = await heartbeatMessage({ test: true });
  const older = await heartbeatMessage({ ageMs: 5_000, test: true });
  await fixture.deliver(newer);
  await fixture.deliver(older);
  await waitFor('the older one', () =>
    subscriber.lines.some(({ step, messageId }) => step === 'archived' && messageId === older.id),
  );
  const { detectedat } = JSON.parse(newer.payload) as { detectedat: string };
  expect(await subscriber.metrics()).toContain(
    `settlement_bridge_subscriber_test_heartbeat_timestamp_seconds{participant="WPGENCO",channel="${CHANNEL}"} ${Date.parse(detectedat) / 1_000}\n`,
  );
});
