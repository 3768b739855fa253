import { waitFor } from '@ssb/testing';
import type { RunningSubscriber, TestEnvironment } from './support/running-subscriber.js';
import { signedMessage } from './support/signed-messages.js';
import { SubscriberFixture } from './support/subscriber-fixture.js';

interface Alert {
  readonly type: string;
  readonly data: { readonly reason: string; readonly detail?: string };
}

const REASON = 'client-superseded';
const OVERLAP_MS = 30_000;
/** How much earlier a catch-up may begin. */
const SPREAD_MS = 60_000;

let fixture: SubscriberFixture;
let environment: TestEnvironment;

beforeAll(async () => {
  fixture = await SubscriberFixture.open();
  environment = fixture.environment({ webhookTypes: ['settlementbus.*'] });
});
afterAll(() => fixture.close());

const findAlert = (type: string): Alert | undefined =>
  fixture.sink.requests
    .map(({ body }) => JSON.parse(body) as Alert)
    .find((alert) => alert.type === `settlementbus.bridge.alert.${type}.v1` && alert.data.reason === REASON);

async function startConnected(): Promise<RunningSubscriber> {
  const before = fixture.gateway.connections.length;
  const subscriber = await fixture.start(environment, {}, { supersededForMs: 100 });
  await waitFor('the connection', () => fixture.gateway.connections.length > before);
  return subscriber;
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

it('reports another client with its client id, and reads from the log what that acknowledged', async () => {
  await fixture.storage.clear();
  await startConnected();
  const own = await signedMessage();
  const taken = await signedMessage({ fact: { calculatedAt: '2026-03-02T08:00:07' } });
  await fixture.deliver(own);
  fixture.gateway.acknowledged.push(taken.id);
  fixture.gateway.stored = [own, taken];
  fixture.gateway.supersede();
  const raised = await waitFor('the alert', () => findAlert('raised'));
  expect(raised.data.detail).toMatch(/^Another client connected .* the client id subscriber\. It was at /);
  await waitFor('the delivery', () =>
    fixture.sink.requests.some(({ body }) => body.includes(String(taken.transactionId))),
  );
  const ids = fixture.sink.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  const [from = ''] = fixture.gateway.readQueries.map((query) => query.get('from') ?? '');
  const startMs = Number(own.timestampNanos / 1_000_000n) - OVERLAP_MS;
  expect(Date.parse(from)).toBeLessThanOrEqual(startMs);
  expect(Date.parse(from)).toBeGreaterThanOrEqual(startMs - SPREAD_MS);
});

it('reads again after a restart, and ends the fault once a connection has lasted', async () => {
  const later = await signedMessage({ fact: { calculatedAt: '2026-03-02T08:00:09' } });
  await fixture.stopSubscriber();
  fixture.gateway.acknowledged.push(later.id);
  fixture.gateway.stored.push(later);
  await startConnected();
  await waitFor('the delivery', () =>
    fixture.sink.requests.some(({ body }) => body.includes(String(later.transactionId))),
  );
  await waitFor('the end of the fault', () => findAlert('cleared'));
});
