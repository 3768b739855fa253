import { waitFor } from '@ssb/testing';
import { setSinkDisabled } from '../src/deliveries/requests/disabled-sinks.js';
import { startHttpSink, type HttpSink } from '@ssb/testing/sinks';
import { WEBHOOK_SECRET, type RunningSubscriber } from './support/running-subscriber.js';
import { marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

interface Received {
  readonly type: string;
  readonly data: { readonly reason?: string; readonly interface?: string; readonly document?: string };
}

const RAISED = 'settlementbus.bridge.alert.raised.v1';
const CLEARED = 'settlementbus.bridge.alert.cleared.v1';
const WARNING = 'settlementbus.margin.warning.v1';
const BREACHED = 'settlementbus.margin.breached.v1';

const fixture = SubscriberFixture.use();
let operations: HttpSink;
let subscriber: RunningSubscriber;

beforeAll(async () => {
  operations = await startHttpSink((_, response) => response.writeHead(204).end());
});
beforeEach(async () => {
  const variables = {
    OPERATIONS_WEBHOOK_URL: operations.url,
    OPERATIONS_WEBHOOK_SECRET: WEBHOOK_SECRET,
    DATABASE_UNAVAILABLE_AFTER_MS: '200',
  };
  const environment = fixture.environment({ webhookTypes: ['settlementbus.margin.*'] });
  const deliveryFaultTimes = { failingAfterMs: 100, intervalMs: 100 };
  subscriber = await fixture.start(environment, variables, { deliveryFaultTimes });
});
afterEach(() => void (operations.requests.length = 0));
afterAll(() => operations.stop());

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

async function deliverMargin(level: 'WARNING' | 'BREACHED', minutesAgo: number): Promise<void> {
  const fact = { calculatedAt: marketTime(minutesAgo), level, previousLevel: 'OK' } as const;
  fixture.gateway.deliver(await signedMessage({ fact, signedAt: new Date() }));
}

it('a refused warning does not hold back the breach, and is reported until the sink accepts it', async () => {
  fixture.respond = ({ body }, response) =>
    response.writeHead((JSON.parse(body) as Received).type === WARNING ? 400 : 204).end();
  await deliverMargin('WARNING', 2);
  await received(fixture.sink, WARNING);
  await deliverMargin('BREACHED', 1);
  await received(fixture.sink, BREACHED);
  const about = { reason: 'delivery-refused', interface: 'treasury', document: WARNING };
  await received(operations, RAISED, about);
  expect(await healthNames('delivery-refused')).toMatchObject({ interface: 'treasury' });
  expect(await subscriber.metrics()).toMatch(
    /^settlement_bridge_subscriber_deliveries_parked\{sink="treasury"\} 1$/m,
  );
  fixture.respond = (_, response) => response.writeHead(204).end();
  await deliverMargin('BREACHED', 0);
  await received(operations, CLEARED, about);
  expect(subscriber.faults().map(({ reason }) => reason)).not.toContain('delivery-refused');
});

it('a failing sink is reported to another one until it accepts what waits', async () => {
  fixture.respond = (_, response) => response.writeHead(503).end();
  await deliverMargin('BREACHED', 1);
  const about = { reason: 'sink-failing', interface: 'treasury' };
  await received(operations, RAISED, about);
  await healthNames('sink-failing');
  fixture.respond = (_, response) => response.writeHead(204).end();
  const before = fixture.deliveries.length;
  await received(operations, CLEARED, about);
  expect(fixture.deliveries.length).toBeGreaterThan(before);
});

it('a disabled sink is reported to another one, and gets nothing until it is enabled', async () => {
  const { database } = fixture.storage;
  const about = { reason: 'sink-disabled', interface: 'treasury' };
  await setSinkDisabled(database, 'treasury', { by: 'jane', reason: 'moves' });
  await deliverMargin('BREACHED', 1);
  await received(operations, RAISED, about);
  expect((await healthNames('sink-disabled')).detail).toMatch(
    /^The sink treasury is disabled since .+ by jane: moves$/,
  );
  expect(fixture.deliveries).toEqual([]);
  await setSinkDisabled(database, 'treasury', undefined);
  await received(fixture.sink, BREACHED);
  await received(operations, CLEARED, about);
});

it('an unavailable database is reported directly to every sink, and its end as well', async () => {
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  const { server } = fixture.storage;
  await server.shutDown();
  const about = { reason: 'database-unavailable' };
  const sinks = [operations, fixture.sink];
  try {
    await Promise.all(sinks.map((sink) => received(sink, RAISED, about)));
    const severities = sinks.map(
      ({ requests }) => requests.find(({ body }) => body.includes(about.reason))?.headers['bridge-severity'],
    );
    expect(severities).toEqual(['critical', 'critical']);
    await healthNames('database-unavailable');
  } finally {
    await server.start();
  }
  await Promise.all(sinks.map((sink) => received(sink, CLEARED, about)));
});
