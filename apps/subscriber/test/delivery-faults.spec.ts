import { waitFor } from '@ssb/testing';
import { FakeGateway } from './support/fake-gateway.js';
import { startHttpSink, type HttpSink } from './support/http-sink.js';
import {
  createTestEnvironment,
  startSubscriber,
  WEBHOOK_SECRET,
  type RunningSubscriber,
  type TestEnvironment,
} from './support/running-subscriber.js';
import { marketTime, signedMessage } from './support/signed-messages.js';
import { openSubscriberDatabase, type SubscriberDatabase } from './support/subscriber-database.js';

interface Received {
  readonly type: string;
  readonly data: { readonly reason?: string; readonly interface?: string; readonly document?: string };
}

const RAISED = 'settlementbus.bridge.alert.raised.v1';
const CLEARED = 'settlementbus.bridge.alert.cleared.v1';
const WARNING = 'settlementbus.margin.warning.v1';
const BREACHED = 'settlementbus.margin.breached.v1';

let storage: SubscriberDatabase;
let gateway: FakeGateway;
let treasury: HttpSink;
let operations: HttpSink;
let environment: TestEnvironment;
let subscriber: RunningSubscriber;
/** The status for an event type at the sink. */
let statusOf: (type: string) => number;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
afterAll(() => storage.close());
beforeEach(async () => {
  await storage.clear();
  gateway = new FakeGateway();
  statusOf = () => 204;
  treasury = await startHttpSink(({ body }, response) =>
    response.writeHead(statusOf((JSON.parse(body) as Received).type)).end(),
  );
  operations = await startHttpSink((_, response) => response.writeHead(204).end());
  const { variables, ...rest } = createTestEnvironment(await gateway.start(), treasury.url, {
    webhookTypes: ['settlementbus.margin.*'],
  });
  environment = {
    ...rest,
    variables: {
      ...variables,
      LEASE_TTL_MS: '2000',
      OPERATIONS_WEBHOOK_URL: operations.url,
      OPERATIONS_WEBHOOK_SECRET: WEBHOOK_SECRET,
      DATABASE_UNAVAILABLE_AFTER_MS: '200',
    },
  };
  subscriber = startSubscriber(environment, storage.database, {
    deliveryFaultTimes: { failingAfterMs: 100, intervalMs: 100 },
  });
});
afterEach(async () => {
  await subscriber.stop();
  await gateway.stop();
  await treasury.stop();
  await operations.stop();
  environment.remove();
});

const read = ({ requests }: HttpSink): Received[] => requests.map(({ body }) => JSON.parse(body) as Received);
const received = (sink: HttpSink, type: string, about: Partial<Received['data']> = {}) =>
  waitFor(`${type} ${JSON.stringify(about)}`, () =>
    read(sink).find(
      (event) =>
        event.type === type && Object.entries(about).every(([k, v]) => event.data[k as 'reason'] === v),
    ),
  );
const healthNames = (reason: string) =>
  waitFor(`${reason} in the health`, () => subscriber.faults().find((fault) => fault.reason === reason));

const margin = (level: 'WARNING' | 'BREACHED', minutesAgo: number) =>
  signedMessage({
    fact: { calculatedAt: marketTime(minutesAgo), level, previousLevel: 'OK' },
    signedAt: new Date(),
  });

it('a refused warning does not hold back the breach, and is reported until the sink accepts it', async () => {
  statusOf = (type) => (type === WARNING ? 400 : 204);
  gateway.deliver(await margin('WARNING', 2));
  await received(treasury, WARNING);
  gateway.deliver(await margin('BREACHED', 1));
  await received(treasury, BREACHED);
  const about = { reason: 'delivery-refused', interface: 'treasury', document: WARNING };
  await received(operations, RAISED, about);
  expect(await healthNames('delivery-refused')).toMatchObject({ interface: 'treasury' });
  expect(await subscriber.metrics()).toMatch(
    /^settlement_bridge_subscriber_deliveries_parked\{sink="treasury"\} 1$/m,
  );
  statusOf = () => 204;
  gateway.deliver(await margin('BREACHED', 0));
  await received(operations, CLEARED, about);
  expect(subscriber.faults().map(({ reason }) => reason)).not.toContain('delivery-refused');
});

it('a failing sink is reported to another one until it accepts what waits', async () => {
  statusOf = () => 503;
  gateway.deliver(await margin('BREACHED', 1));
  const about = { reason: 'sink-failing', interface: 'treasury' };
  await received(operations, RAISED, about);
  await healthNames('sink-failing');
  statusOf = () => 204;
  const before = treasury.requests.length;
  await received(operations, CLEARED, about);
  expect(treasury.requests.length).toBeGreaterThan(before);
});

it('an unavailable database is reported directly to every sink, and its end as well', async () => {
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  await storage.server.shutDown();
  const about = { reason: 'database-unavailable' };
  try {
    await Promise.all([operations, treasury].map((sink) => received(sink, RAISED, about)));
    await healthNames('database-unavailable');
  } finally {
    await storage.server.start();
  }
  await Promise.all([operations, treasury].map((sink) => received(sink, CLEARED, about)));
});
