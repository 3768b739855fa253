import type { Message } from '@ssb/bus';
import type { Database } from '@ssb/postgres';
import { createFactEvent, type StatementRevisedData } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import { Webhook } from 'standardwebhooks';
import { startHttpSink, type HttpSink } from './support/http-sink.js';
import { ArchiveQueries } from '../src/listing/archive-queries.js';
import { FakeGateway } from './support/fake-gateway.js';
import {
  createTestEnvironment,
  startSubscriber,
  WEBHOOK_SECRET,
  type TestEnvironment,
  type RunningSubscriber,
} from './support/running-subscriber.js';
import { openSubscriberDatabase, type SubscriberDatabase } from './support/subscriber-database.js';
import {
  CHANNEL,
  DETECTION,
  originDid,
  signedMessage,
  type MessageOptions,
} from './support/signed-messages.js';

const EVERYTHING = { limit: 1_000 };

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

describe('from the gateway to archive and sinks', () => {
  let storage: SubscriberDatabase;
  let database: Database;
  let gateway: FakeGateway;
  let sink: HttpSink;
  let environment: TestEnvironment;
  let subscriber: RunningSubscriber;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    database = storage.database;
  });
  afterAll(() => storage.close());

  beforeEach(async () => {
    await storage.clear();
    gateway = new FakeGateway();
    sink = await startHttpSink((_, response) => response.writeHead(204).end());
    environment = createTestEnvironment(await gateway.start(), sink.url);
  });
  afterEach(async () => {
    await subscriber.stop();
    await gateway.stop();
    await sink.stop();
    environment.remove();
  });

  const acknowledged = (...messages: Message[]) =>
    waitFor('the acknowledgement', () => messages.every(({ id }) => gateway.acknowledged.includes(id)));
  const delivered = (count: number) => waitFor(`delivery ${count}`, () => sink.requests.length >= count);
  const steps = (name: string) => subscriber.lines.filter(({ step }) => step === name);
  const archive = () => new ArchiveQueries(database);

  it('archives a verified event and alerts with its exact text', async () => {
    const message = await signedMessage();
    subscriber = startSubscriber(environment, database);
    gateway.deliver(message);
    await acknowledged(message);
    await delivered(1);
    const [event] = await archive().listArchived(EVERYTHING);
    expect(event).toMatchObject({ text: message.payload, messageId: message.id, origin: originDid });
    const [request] = sink.requests;
    expect(request?.body).toBe(message.payload);
    expect(request?.body).toContain('"-1234567890123456789012.12345678"');
    new Webhook(WEBHOOK_SECRET).verify(request?.body ?? '', request?.headers as Record<string, string>);
    const [connection] = gateway.connections;
    expect(connection?.search).toBe('?clientId=subscriber&ack=explicit&window=256&gaps=report');
  });

  it('receives from a gateway with another sub-protocol', async () => {
    await gateway.stop();
    environment.remove();
    gateway = new FakeGateway({ protocol: 'acme.events' });
    environment = createTestEnvironment(await gateway.start(), sink.url);
    const message = await signedMessage();
    const variables = { ...environment.variables, GATEWAY_EVENTS_PROTOCOL: 'acme.events' };
    subscriber = startSubscriber({ ...environment, variables }, database);
    gateway.deliver(message);
    await acknowledged(message);
  });

  it('logs each step of an event, and no payload', async () => {
    const message = await signedMessage();
    subscriber = startSubscriber(environment, database);
    gateway.deliver(message);
    // The dispatcher may deliver the alert before the receiver logs the archived event.
    await waitFor('every step', () => steps('archived').length === 1 && steps('alerted').length === 2);
    const event = JSON.parse(message.payload) as Record<string, unknown>;
    const fields = {
      eventId: event['id'],
      eventType: 'settlementbus.margin.breached.v1',
      subject: 'WPGENCO/prudential',
      origin: originDid,
      messageId: message.id,
      detectedAt: '2026-03-02T00:00:01.250Z',
      factTime: '2026-03-02T08:00:00+08:00',
      channel: message.fqcn,
    };
    expect(steps('verified')).toEqual([
      expect.objectContaining({ ...fields, level: 'debug', sender: message.sender }),
    ]);
    expect(steps('archived')).toEqual([
      expect.objectContaining({ ...fields, level: 'info', verifiedAt: expect.any(String) }),
    ]);
    for (const name of ['console', 'treasury']) {
      expect(steps('alerted')).toContainEqual(
        expect.objectContaining({ ...fields, level: 'info', sink: name, alert: true, attempt: 1 }),
      );
    }
    expect(JSON.stringify(subscriber.lines)).not.toMatch(/1234567890123456789012|whsec_|a password/);
  });

  it('drops a message that comes again after a lost acknowledgement', async () => {
    const message = await signedMessage();
    subscriber = startSubscriber(environment, database);
    gateway.loseNextAcknowledgement = true;
    gateway.deliver(message);
    await acknowledged(message);
    await delivered(1);
    expect(gateway.connections).toHaveLength(2);
    expect(await archive().listArchived(EVERYTHING)).toHaveLength(1);
    expect(sink.requests).toHaveLength(1);
    expect(await subscriber.metrics()).toMatch(
      /^settlement_bridge_subscriber_repeats_total\{of="event"\} 1$/m,
    );
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
    subscriber = startSubscriber(environment, database);
    gateway.deliver(revision, statement);
    await acknowledged(revision, statement);
    expect((await archive().listArchived(EVERYTHING)).map(({ text }) => text)).toEqual([revision.payload]);
    expect(await subscriber.metrics()).toMatch(
      /^settlement_bridge_subscriber_repeats_total\{of="document-version"\} 1$/m,
    );
  });

  it('drops an archived event that is posted again as a new message', async () => {
    const message = await signedMessage();
    const soon = { ...message, id: 'replayed-soon', transactionId: 'another' };
    const late = {
      ...message,
      id: 'replayed-late',
      timestampNanos: message.timestampNanos + 86_400_000_000_000n,
    };
    subscriber = startSubscriber(environment, database);
    gateway.deliver(message);
    gateway.deliver(soon, late);
    await acknowledged(message, soon, late);
    expect(await archive().listArchived(EVERYTHING)).toHaveLength(1);
    expect(await archive().listQuarantined(EVERYTHING)).toEqual([]);
  });

  it('quarantines and acknowledges messages that fail verification, and continues', async () => {
    const forged = { ...(await signedMessage()), payload: '{"all":"well"}' };
    const moved = await signedMessage({ ...calculation(3), overrides: { topic: 'margin.restored.v1' } });
    const good = await signedMessage(calculation(4));
    subscriber = startSubscriber(environment, database);
    gateway.deliver(forged, moved, good);
    await acknowledged(forged, moved, good);
    const kept = await archive().listQuarantined(EVERYTHING);
    expect(kept.map(({ messageId, reason }) => [messageId, reason])).toEqual([
      [forged.id, 'signer-mismatch'],
      [moved.id, 'topic-mismatch'],
    ]);
    expect(steps('quarantined')).toHaveLength(2);
    const archived = await archive().listArchived(EVERYTHING);
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

  it('acknowledges nothing while the database refuses writes, and loses nothing', async () => {
    subscriber = startSubscriber(environment, database);
    await waitFor('the connection', () => gateway.connections.length === 1);
    await storage.server.query('REVOKE INSERT ON subscriber.inbox FROM subscriber');
    const message = await signedMessage();
    try {
      gateway.deliver(message);
      await waitFor('the first failure', async () =>
        /^settlement_bridge_subscriber_storage_failures_total [1-9]/m.test(await subscriber.metrics()),
      );
      gateway.drop();
      await waitFor('the next connection', () => gateway.connections.length === 2);
      expect(gateway.acknowledged).toEqual([]);
    } finally {
      await storage.server.query('GRANT INSERT ON subscriber.inbox TO subscriber');
    }
    await acknowledged(message);
    await delivered(1);
    expect(sink.requests).toHaveLength(1);
  });

  it('continues after the database was unavailable for longer than the lease', async () => {
    const short = { ...environment, variables: { ...environment.variables, LEASE_TTL_MS: '600' } };
    subscriber = startSubscriber(short, database);
    await waitFor('the connection', () => gateway.connections.length === 1);
    await storage.server.shutDown();
    const message = await signedMessage();
    try {
      gateway.deliver(message);
      await waitFor('the end of the lease', () =>
        subscriber.lines.some(({ msg }) => msg === 'replica lease ended'),
      );
    } finally {
      await storage.server.start();
    }
    await acknowledged(message);
    await delivered(1);
    expect(sink.requests.map(({ body }) => body)).toEqual([message.payload]);
  });

  it('reports messages that were removed before receipt, and continues', async () => {
    subscriber = startSubscriber(environment, database);
    await waitFor('the connection', () => gateway.connections.length === 1);
    gateway.reportGap({ fqcn: CHANNEL, after: 'm1', upTo: 'm7' });
    const message = await signedMessage();
    gateway.deliver(message);
    await acknowledged(message);
    expect(subscriber.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'retention gap',
        channel: CHANNEL,
        after: 'm1',
        upTo: 'm7',
      }),
    );
    expect(await subscriber.metrics()).toMatch(/^settlement_bridge_subscriber_gaps_total 1$/m);
    expect(gateway.connections).toHaveLength(1);
  });

  it('delivers after a restart the alerts that were not delivered before', async () => {
    await sink.stop();
    const messages = [await signedMessage(calculation(1)), await signedMessage(calculation(2))];
    subscriber = startSubscriber(environment, database);
    gateway.deliver(...messages);
    await acknowledged(...messages);
    await subscriber.stop();
    sink = await startHttpSink((_, response) => response.writeHead(200).end());
    const moved = createTestEnvironment(environment.variables['GATEWAY_URL'] ?? '', sink.url);
    subscriber = startSubscriber(moved, database);
    await delivered(2);
    moved.remove();
    expect(sink.requests.map(({ body }) => body)).toEqual(messages.map(({ payload }) => payload));
  });

  it('reports a clock that differs from gateway and broker, and alerts', async () => {
    gateway.clockAheadMs = 120_000;
    subscriber = startSubscriber(environment, database);
    const message = await signedMessage({ signedAt: new Date(Date.now() + 120_000) });
    gateway.deliver(message);
    const expected = { broker: -120, gateway: -120, database: 0 };
    for (const [source, seconds] of Object.entries(expected))
      await waitFor(`the clock of ${source}`, async () => {
        const value = new RegExp(`^settlement_bridge_clock_offset_seconds{source="${source}"} (.+)$`, 'm');
        return Math.abs(Number(value.exec(await subscriber.metrics())?.[1]) - seconds) < 10;
      });
    await waitFor('the alert', async () =>
      (await archive().listArchived(EVERYTHING)).some(({ text }) => text.includes('"clock-offset"')),
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

  it('is ready while stream and database are available', async () => {
    subscriber = startSubscriber(environment, database);
    await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
    expect(await subscriber.metrics()).toMatch(/^settlement_bridge_subscriber_stream_connected 1$/m);
    expect(await subscriber.metrics()).toMatch(
      /^settlement_bridge_subscriber_alert_outbox_depth\{sink="treasury"\} 0$/m,
    );
    await gateway.stop();
    await waitFor('unreadiness', async () => (await subscriber.ready()).status === 'error');
    expect((await subscriber.ready()).checks['database']).toEqual({ status: 'up' });
  });
});
