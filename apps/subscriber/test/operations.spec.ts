import { waitFor } from '@ssb/testing';
import { ArchiveQueries } from '../src/listing/archive-queries.js';
import { FakeGateway } from './support/fake-gateway.js';
import { startHttpSink, type HttpSink } from './support/http-sink.js';
import {
  createTestEnvironment,
  startSubscriber,
  type RunningSubscriber,
  type TestEnvironment,
} from './support/running-subscriber.js';
import { CHANNEL, heartbeatMessage } from './support/signed-messages.js';
import { openSubscriberDatabase, type SubscriberDatabase } from './support/subscriber-database.js';

interface Alert {
  readonly type: string;
  readonly participant: string;
  readonly local?: boolean;
  readonly proof?: string;
  readonly data: { readonly reason: string; readonly channel?: string; readonly detail?: string };
}

const RAISED = 'settlementbus.bridge.alert.raised.v1';
const CLEARED = 'settlementbus.bridge.alert.cleared.v1';

describe('operational alerts of the subscriber', () => {
  let storage: SubscriberDatabase;
  let gateway: FakeGateway;
  let sink: HttpSink;
  let environment: TestEnvironment;
  let subscriber: RunningSubscriber;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    await storage.clear();
    gateway = new FakeGateway();
    sink = await startHttpSink((_, response) => response.writeHead(204).end());
    const { variables, ...rest } = createTestEnvironment(await gateway.start(), sink.url, {
      webhookTypes: ['settlementbus.bridge.alert.*'],
    });
    environment = { ...rest, variables: { ...variables, HEARTBEAT_TIMEOUT_MS: '1000' } };
    subscriber = startSubscriber(environment, storage.database);
  });
  afterEach(async () => {
    await subscriber.stop();
    await gateway.stop();
    await sink.stop();
    environment.remove();
  });

  const alerts = (): Alert[] => sink.requests.map(({ body }) => JSON.parse(body) as Alert);
  const findAlert = (type: string, reason: string): Alert | undefined =>
    alerts().find((alert) => alert.type === type && alert.data.reason === reason);
  const alerted = (type: string, reason: string) =>
    waitFor(`${type} of ${reason}`, () => findAlert(type, reason));

  /** Delivers heartbeats until the alert comes, because one alone is soon too old on a slow machine. */
  const deliverUntil = (type: string, reason: string, options?: Parameters<typeof heartbeatMessage>[0]) =>
    waitFor(`${type} of ${reason}`, async () => {
      gateway.deliver(await heartbeatMessage(options));
      return findAlert(type, reason);
    });

  it('reports missing heartbeats and their return; a late one does not count', async () => {
    const raised = await alerted(RAISED, 'heartbeat-missing');
    expect(raised).toMatchObject({
      participant: 'WPGENCO',
      local: true,
      data: { channel: CHANNEL, detail: expect.stringContaining("the subscriber's gateway") },
    });
    expect(raised.proof).toBeUndefined();

    gateway.deliver(await heartbeatMessage({ ageMs: 60_000 }));
    await waitFor('the evaluation of the late heartbeat', () =>
      subscriber.faults().some(({ detail }) => detail.startsWith('Heartbeats arrive late')),
    );
    expect(findAlert(CLEARED, 'heartbeat-missing')).toBeUndefined();

    expect(await deliverUntil(CLEARED, 'heartbeat-missing')).toMatchObject({ local: true });
    expect(await subscriber.metrics()).toMatch(
      /^settlement_bridge_subscriber_heartbeat_age_seconds\{participant="WPGENCO",channel="[^"]+"\} \d/m,
    );
    const lines = subscriber.lines.filter(({ eventType }) => String(eventType).includes('heartbeat'));
    expect(new Set(lines.map(({ level, step }) => `${String(level)} ${String(step)}`))).toEqual(
      new Set(['debug verified', 'debug archived']),
    );
    const listed = await new ArchiveQueries(storage.database).listArchived({ limit: 100 });
    expect(new Set(listed.map(({ type }) => type))).toEqual(new Set([RAISED, CLEARED]));
  });

  it('shows the time of the newest test heartbeat, also when an older one comes later', async () => {
    const [newer, older] = [
      await heartbeatMessage({ test: true }),
      await heartbeatMessage({ ageMs: 5_000, test: true }),
    ];
    const archived = (): number =>
      subscriber.lines.filter(({ step, messageId }) => step === 'archived' && messageId === older.id).length;
    gateway.deliver(newer);
    gateway.deliver(older);
    await waitFor('the older one', () => archived() === 1);
    const { detectedat } = JSON.parse(newer.payload) as { detectedat: string };
    expect(await subscriber.metrics()).toContain(
      `settlement_bridge_subscriber_test_heartbeat_timestamp_seconds{participant="WPGENCO",channel="${CHANNEL}"} ${Date.parse(detectedat) / 1_000}\n`,
    );
  });

  it('reports old data of the operator until it is current', async () => {
    expect(await deliverUntil(RAISED, 'operator-data-old', { pollAgeMs: 40_000 })).toMatchObject({
      participant: 'WPGENCO',
      data: { detail: expect.stringMatching(/^prudential: .* 40 s .*settlement: /) },
    });
    await deliverUntil(CLEARED, 'operator-data-old');
  });

  it('clears, after a restart, what an earlier run reported', async () => {
    await alerted(RAISED, 'heartbeat-missing');
    await subscriber.stop();
    expect(subscriber.faults()).toEqual([]);
    subscriber = startSubscriber(environment, storage.database);
    await deliverUntil(CLEARED, 'heartbeat-missing');
  });

  it('reports messages that were removed from the bus before they were received', async () => {
    await waitFor('the connection', () => gateway.connections.length === 1);
    gateway.reportGap({ fqcn: CHANNEL, after: 'm1', upTo: 'm7' });
    expect(await alerted(RAISED, 'retention-gap')).toMatchObject({
      participant: '*',
      local: true,
      data: { channel: CHANNEL, detail: 'The messages after m1 up to m7 were removed from the bus.' },
    });
  });
});
