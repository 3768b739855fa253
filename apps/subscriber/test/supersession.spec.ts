import type { Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import type { RunningSubscriber, TestEnvironment } from './support/running-subscriber.js';
import { CHANNEL, SIGNED_AT, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

interface Alert {
  readonly type: string;
  readonly data: { readonly reason: string; readonly detail?: string };
}

const REASON = 'client-superseded';
const OVERLAP_MS = 30_000;
/** How much earlier a catch-up may begin. */
const SPREAD_MS = 60_000;
const DAY_MS = 86_400_000;

const fixture = new SubscriberFixture();
let environment: TestEnvironment;

beforeAll(async () => {
  await fixture.open();
  environment = fixture.environment({ webhookTypes: ['settlementbus.*'] });
});
afterAll(() => fixture.close());

const findAlert = (type: string): Alert | undefined =>
  fixture.sink.requests
    .map(({ body }) => JSON.parse(body) as Alert)
    .find((alert) => alert.type === `settlementbus.bridge.alert.${type}.v1` && alert.data.reason === REASON);

/** A breach that the bus stored some minutes after the first one. */
function breachAt(minutes: number): Promise<Message> {
  const timestampNanos = BigInt(SIGNED_AT.getTime() + minutes * 60_000) * 1_000_000n;
  return signedMessage({
    fact: { calculatedAt: `2026-03-02T08:00:${String(minutes).padStart(2, '0')}` },
    overrides: { timestampNanos },
  });
}

/** @param message that the first read must return again */
function expectFirstReadFrom({ timestampNanos }: Message): void {
  const [from = ''] = fixture.gateway.readQueries.map((query) => query.get('from') ?? '');
  const startMs = Number(timestampNanos / 1_000_000n) - OVERLAP_MS;
  expect(Date.parse(from)).toBeLessThanOrEqual(startMs);
  expect(Date.parse(from)).toBeGreaterThanOrEqual(startMs - SPREAD_MS);
}

/** Changes the archive as if its entries were a day old. */
async function archiveADayEarlier(): Promise<void> {
  await fixture.storage.server.query(
    `UPDATE subscriber.archive SET archived_at = archived_at - interval '1 day'`,
  );
}

/** Returns when the subscriber has connected again. */
async function dropConnection(): Promise<void> {
  const before = fixture.gateway.connections.length;
  fixture.gateway.drop();
  await waitFor('the next connection', () => fixture.gateway.connections.length > before);
}

/** @param supersededForMs how long a connection lasts until the fault ends; default: longer than the test */
async function startConnected(supersededForMs = 3_600_000): Promise<RunningSubscriber> {
  await fixture.stopSubscriber();
  const before = fixture.gateway.connections.length;
  const subscriber = await fixture.start(environment, {}, { supersededForMs });
  await waitFor('the connection', () => fixture.gateway.connections.length > before);
  return subscriber;
}

/** A subscriber that runs would write again. */
async function clear(): Promise<void> {
  await fixture.stopSubscriber();
  await fixture.storage.clear();
}

it('does not report another replica that took over', async () => {
  const subscriber = await startConnected();
  await fixture.storage.server.query('UPDATE subscriber.reader_lease SET fencing_token = fencing_token + 1');
  fixture.gateway.supersede();
  await waitFor('the end of the lease', () =>
    subscriber.lines.some(({ msg }) => msg === 'replica lease ended'),
  );
  expect(subscriber.lines.filter(({ msg }) => msg === 'client id superseded')).toEqual([]);
  expect(fixture.gateway.readQueries).toEqual([]);
});

it('reports another client, and reads from the log what that acknowledged before earlier connections', async () => {
  await clear();
  await startConnected();
  const [own, taken, later] = [await breachAt(0), await breachAt(7), await breachAt(20)];
  await fixture.deliver(own);
  await archiveADayEarlier();
  fixture.gateway.acknowledged.push(taken.id);
  fixture.gateway.stored = [own, taken, later];
  await dropConnection();
  await fixture.deliver(later);
  await dropConnection();
  fixture.gateway.supersede();
  const raised = await waitFor('the alert', () => findAlert('raised'));
  expect(raised.data.detail).toMatch(/^Another client connected .* the client id subscriber\. It was at /);
  await waitFor('the delivery', () =>
    fixture.sink.requests.some(({ body }) => body.includes(String(taken.transactionId))),
  );
  const ids = fixture.sink.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  expectFirstReadFrom(own);
});

it('reads again after a restart, and ends the fault once a connection has lasted', async () => {
  const later = await breachAt(25);
  await fixture.stopSubscriber();
  fixture.gateway.acknowledged.push(later.id);
  fixture.gateway.stored.push(later);
  await startConnected(100);
  await waitFor('the delivery', () =>
    fixture.sink.requests.some(({ body }) => body.includes(String(later.transactionId))),
  );
  await waitFor('the end of the fault', () => findAlert('cleared'));
});

it('reads from before the last messages of an earlier reader, and reports no gap since the last incident', async () => {
  await clear();
  await startConnected();
  const own = await breachAt(0);
  await fixture.deliver(own);
  await archiveADayEarlier();
  await fixture.deliver(await breachAt(20));
  await fixture.stopSubscriber();
  await fixture.storage.server.query(
    `INSERT INTO subscriber.channel_watermark (client_id, channel, read_up_to_nanos, complete_until)
     VALUES ('subscriber', $1, 0, $2)`,
    [CHANNEL, new Date(SIGNED_AT.getTime() - 21 * DAY_MS)],
  );
  fixture.gateway.channels = fixture.gateway.channels.map((channel) => ({
    ...channel,
    maxMsgAge: 2 * DAY_MS * 1e6,
  }));
  fixture.gateway.readQueries.length = 0;
  const { lines } = await startConnected();
  fixture.gateway.supersede();
  await waitFor('the first read', () => lines.some(({ msg }) => msg === 'catch-up completed'));
  expectFirstReadFrom(own);
  expect(lines.filter(({ msg }) => msg === 'retention gap')).toEqual([]);
});
