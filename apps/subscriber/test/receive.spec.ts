import { createFactEvent, type StatementRevisedData } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { Webhook } from 'standardwebhooks';
import { WEBHOOK_SECRET, type RunningSubscriber } from './support/running-subscriber.js';
import { DETECTION, originDid, signedMessage, type MessageOptions } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

/** A different calculation for each hour. */
const calculation = (hour: number): MessageOptions => ({
  fact: { calculatedAt: `2026-03-02T${String(hour).padStart(2, '0')}:00:00` },
});

const REVISION: StatementRevisedData = {
  runId: 4803,
  publishedAt: '2026-03-23T11:30:00',
  marketService: 'WEM',
  designation: 'INITIAL',
  period: 'TW 01 Mar 2026',
  periodFrom: '2026-03-01T00:00:00',
  periodTo: '2026-03-07T00:00:00',
  tradingDays: 7,
  totals: { payment: '12', charge: '0' },
  digest: 'ab'.repeat(32),
  variables: [],
  previous: { runId: 4711 },
  difference: { payment: '2', charge: '0' },
};

const fixture = SubscriberFixture.use();

it('archives a verified event, alerts with its exact text, and logs each step without the payload', async () => {
  const { gateway, sink, queries } = fixture;
  gateway.protocol = 'acme.events';
  const message = await signedMessage();
  const { lines } = await fixture.start(fixture.environment(), { GATEWAY_EVENTS_PROTOCOL: 'acme.events' });
  await fixture.deliver(message);
  await fixture.waitForDeliveries(1);
  const [event] = await queries.listArchived();
  expect(event).toMatchObject({ text: message.payload, messageId: message.id, origin: originDid });
  const [request] = sink.requests;
  expect(request?.body).toBe(message.payload);
  expect(request?.body).toContain('"-1234567890123456789012.12345678"');
  new Webhook(WEBHOOK_SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>);
  const [connection] = gateway.connections;
  expect(connection?.search).toBe('?clientId=subscriber&ack=explicit&window=256&gaps=report');

  // The dispatcher may deliver the alert before the receiver logs the archived event.
  const steps = (name: string) => lines.filter(({ step }) => step === name);
  await waitFor('every step', () => steps('archived').length === 1 && steps('delivered').length === 2);
  const fields = {
    eventId: message.transactionId,
    eventType: 'settlementbus.margin.breached.v1',
    subject: 'WPGENCO/prudential',
    origin: originDid,
    messageId: message.id,
    detectedAt: '2026-03-02T00:00:01.250Z',
    factTime: '2026-03-02T08:00:00+08:00',
    channel: message.fqcn,
  };
  expect(steps('verified')).toMatchObject([{ ...fields, level: 'debug', sender: message.sender }]);
  expect(steps('archived')).toMatchObject([{ ...fields, level: 'info', verifiedAt: expect.any(String) }]);
  expect(lines.filter(({ msg }) => msg === 'problem changed')).toMatchObject([
    { kind: 'margin', change: 'opened', state: 'open', severity: 'critical', eventId: fields.eventId },
  ]);
  for (const name of ['log', 'treasury'])
    expect(steps('delivered')).toContainEqual(
      expect.objectContaining({ ...fields, level: 'info', sink: name, deliveryKind: 'alert', attempt: 1 }),
    );
  expect(JSON.stringify(lines)).not.toMatch(/1234567890123456789012|whsec_|a password/);
});

it('drops an archived event that is posted again, after a lost acknowledgement or as a new message', async () => {
  const { gateway, queries } = fixture;
  const message = await signedMessage();
  const soon = { ...message, id: 'replayed-soon', transactionId: 'another' };
  const late = {
    ...message,
    id: 'replayed-late',
    timestampNanos: message.timestampNanos + 86_400_000_000_000n,
  };
  const subscriber = await fixture.start(fixture.environment());
  gateway.loseNextAcknowledgement = true;
  await fixture.deliver(message);
  expect(gateway.connections).toHaveLength(2);
  await fixture.deliver(soon, late);
  await fixture.waitForDeliveries(1);
  expect(await queries.listArchived()).toHaveLength(1);
  expect(await queries.listQuarantined()).toEqual([]);
  expect(fixture.deliveries).toHaveLength(1);
  expect(await subscriber.metrics()).toMatch(/^settlement_bridge_subscriber_repeats_total\{of="event"\} 3$/m);
});

it('drops a restated statement when the archive holds the revision of its run', async () => {
  const { previous, difference, ...published } = REVISION;
  const statement = await signedMessage({
    detected: createFactEvent(
      { type: 'settlementbus.statement.published.v1', data: { ...published, restated: true } },
      'WPGENCO',
      DETECTION,
    ),
  });
  const revision = await signedMessage({
    detected: createFactEvent(
      { type: 'settlementbus.statement.revised.v1', data: { ...published, previous, difference } },
      'WPGENCO',
      DETECTION,
    ),
  });
  const subscriber = await fixture.start(fixture.environment());
  await fixture.deliver(revision, statement);
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ text }) => text)).toEqual([revision.payload]);
  expect(await subscriber.metrics()).toMatch(
    /^settlement_bridge_subscriber_repeats_total\{of="document-version"\} 1$/m,
  );
});

it('quarantines and acknowledges messages that fail verification, and continues', async () => {
  const forged = { ...(await signedMessage()), payload: '{"all":"well"}' };
  const moved = await signedMessage({ ...calculation(3), overrides: { topic: 'margin.restored.v1' } });
  const good = await signedMessage(calculation(4));
  const subscriber = await fixture.start(fixture.environment());
  await fixture.deliver(forged, moved, good);
  const kept = await fixture.queries.listQuarantined();
  expect(kept.map(({ messageId, reason }) => [messageId, reason])).toEqual([
    [forged.id, 'signer-mismatch'],
    [moved.id, 'topic-mismatch'],
  ]);
  expect(subscriber.lines.filter(({ step }) => step === 'quarantined')).toHaveLength(2);
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ messageId, marks }) => [messageId, marks])).toEqual([
    [good.id, ['late']],
    [expect.any(String), ['local']],
  ]);
  // Only the message of the trusted gateway raises an operational alert.
  expect(JSON.parse(archived.at(-1)?.text ?? '')).toMatchObject({
    type: 'settlementbus.bridge.alert.raised.v1',
    data: { reason: 'message-quarantined', count: 1, sender: moved.sender },
  });
  expect(await subscriber.metrics()).toMatch(/quarantined_total\{reason="topic-mismatch"\} 1/);
});

it('acknowledges nothing while the database refuses writes, is not ready, and loses nothing', async () => {
  const { gateway, storage } = fixture;
  const subscriber = await fixture.start(fixture.environment());
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  const metrics = await subscriber.metrics();
  expect(metrics).toMatch(/^settlement_bridge_subscriber_stream_connected 1$/m);
  expect(metrics).toMatch(/^settlement_bridge_subscriber_deliveries_pending\{sink="treasury"\} 0$/m);
  await storage.server.query('REVOKE INSERT ON subscriber.inbox FROM subscriber');
  const message = await signedMessage();
  try {
    gateway.deliver(message);
    const { checks } = await waitFor('unreadiness', async () => {
      const report = await subscriber.ready();
      return report.checks['database']?.status === 'down' && report;
    });
    expect(checks['database']?.message).toMatch(/Messages cannot be stored: .*42501/);
    gateway.drop();
    await waitFor('the next connection', () => gateway.connections.length === 2);
    expect(gateway.acknowledged).toEqual([]);
  } finally {
    await storage.server.query('GRANT INSERT ON subscriber.inbox TO subscriber');
  }
  await waitFor('the acknowledgement', () => gateway.acknowledged.includes(message.id));
  await fixture.waitForDeliveries(1);
  expect(fixture.deliveries).toHaveLength(1);
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  await gateway.stop();
  const { checks } = await waitFor('unreadiness', async () => {
    const report = await subscriber.ready();
    return report.checks['gateway stream']?.status === 'down' && report;
  });
  expect(checks['database']).toEqual({ status: 'up' });
  expect(checks['gateway stream']?.message).toMatch(/ \(acknowledged delivery\) is not connected: /);
});

it('reports a clock that differs from gateway and broker, and alerts', async () => {
  fixture.gateway.clockAheadMs = 120_000;
  const subscriber: RunningSubscriber = await fixture.start(fixture.environment());
  await fixture.deliver(await signedMessage({ signedAt: new Date(Date.now() + 120_000) }));
  const expected = { broker: -120, gateway: -120, database: 0 };
  for (const [source, seconds] of Object.entries(expected))
    await waitFor(`the clock of ${source}`, async () => {
      const value = new RegExp(`^settlement_bridge_clock_offset_seconds{source="${source}"} (.+)$`, 'm');
      return Math.abs(Number(value.exec(await subscriber.metrics())?.[1]) - seconds) < 10;
    });
  await waitFor('the alert', async () =>
    (await fixture.queries.listArchived()).some(({ text }) => text.includes('"clock-offset"')),
  );
  expect(subscriber.faults()).toMatchObject([
    {
      reason: 'clock-offset',
      participant: '*',
      detail: expect.stringMatching(
        /^The clock of the app is [\d.]+ s behind broker, [\d.]+ s behind gateway; the limit is 30 s\. The app decides by its own clock\.$/,
      ),
    },
  ]);
});
