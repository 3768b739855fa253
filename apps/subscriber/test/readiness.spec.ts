import { Database } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { SCHEMA } from '../src/database/database-options.js';
import { FakeGateway, PASSWORD } from './support/fake-gateway.js';
import {
  createTestEnvironment,
  startSubscriber,
  type RunningSubscriber,
  type TestEnvironment,
} from './support/running-subscriber.js';
import { CHANNEL, gatewayDid, signedMessage } from './support/signed-messages.js';
import { openSubscriberDatabase, type SubscriberDatabase } from './support/subscriber-database.js';

let storage: SubscriberDatabase;
let gateway: FakeGateway;
let environment: TestEnvironment;
let subscribers: RunningSubscriber[];

beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
afterAll(() => storage.close());
beforeEach(async () => {
  await storage.clear();
  gateway = new FakeGateway();
  environment = createTestEnvironment(await gateway.start(), 'http://127.0.0.1:9/');
  subscribers = [];
});
afterEach(async () => {
  for (const subscriber of subscribers) await subscriber.stop();
  await gateway.stop();
  environment.remove();
});

function start(changes: Record<string, string> = {}): RunningSubscriber {
  const variables = { ...environment.variables, ...changes };
  const subscriber = startSubscriber({ ...environment, variables }, storage.database);
  subscribers.push(subscriber);
  return subscriber;
}

const isReady = async (subscriber: RunningSubscriber): Promise<boolean> =>
  (await subscriber.ready()).status === 'ok';
const check = async (subscriber: RunningSubscriber, name: string) => (await subscriber.ready()).checks[name];
const down = (message: RegExp) => ({ status: 'down', message: expect.stringMatching(message) });

const faultReasons = (subscriber: ReturnType<typeof start>): string[] =>
  subscriber.faults().map(({ reason }) => reason);

it.each<[string, () => void, () => void, string, RegExp]>([
  [
    'the password is wrong',
    () => (gateway.password = 'another'),
    () => (gateway.password = PASSWORD),
    'gateway-credentials-refused',
    /refuses the user or password/,
  ],
  [
    'the gateway is not enrolled',
    () => (gateway.enrolled = false),
    () => (gateway.enrolled = true),
    'gateway-not-enrolled',
    /is not enrolled/,
  ],
  [
    'others may subscribe to the channel',
    () => (gateway.channels = [{ fqcn: CHANNEL, subscribers: [`did:ethr:0x${'b'.repeat(40)}`] }]),
    () => (gateway.channels = [{ fqcn: CHANNEL, subscribers: [gatewayDid] }]),
    'channel-not-permitted',
    /do not include/,
  ],
])('is not ready while %s, logs it once, and recovers', async (_, breakIt, repair, reason, message) => {
  breakIt();
  const subscriber = start();
  await waitFor('the fault', () => faultReasons(subscriber).includes(reason));
  expect(await check(subscriber, 'gateway')).toEqual(down(message));
  repair();
  await waitFor('readiness', () => isReady(subscriber));
  expect(subscriber.faults()).toEqual([]);
  const changes = subscriber.lines.filter(({ msg }) => msg === 'fault reported' || msg === 'fault ended');
  expect(changes.map((line) => [line['msg'], line['reason']])).toEqual([
    ['fault reported', reason],
    ['fault ended', reason],
  ]);
});

it('checks the gateway at once when its stream ends', async () => {
  const subscriber = start({ GATEWAY_CHECK_INTERVAL_MS: '3600000' });
  await waitFor('readiness', () => isReady(subscriber));
  gateway.password = 'another';
  gateway.drop();
  await waitFor('the fault', () => faultReasons(subscriber).includes('gateway-credentials-refused'));
});

it('is ready as a replica that does not read, and not with a wrong password', async () => {
  const reader = start({ REPLICA_NAME: 'reader' });
  await waitFor('the reader', () => isReady(reader));
  const standby = start({ REPLICA_NAME: 'standby' });
  await waitFor('the standby', () => isReady(standby));
  expect(gateway.connections).toHaveLength(1);
  gateway.password = 'another';
  await waitFor('unreadiness', async () => !(await isReady(standby)));
  expect(await check(standby, 'gateway')).toEqual(down(/refuses the user or password/));
});

it('is not ready while the database is read-only', async () => {
  const subscriber = start({ LEASE_TTL_MS: '3000' });
  await waitFor('readiness', () => isReady(subscriber));
  await setReadOnly('on');
  try {
    await waitFor('unreadiness', async () => !(await isReady(subscriber)));
    expect(await check(subscriber, 'replica lease')).toEqual(down(/cannot be renewed: .*read-only.*25006/));
  } finally {
    await setReadOnly('off');
  }
  await waitFor('readiness', () => isReady(subscriber));
});

it('is not ready while received messages cannot be stored', async () => {
  const subscriber = start();
  await waitFor('readiness', () => isReady(subscriber));
  await storage.server.query('REVOKE INSERT ON subscriber.inbox FROM subscriber');
  try {
    gateway.deliver(await signedMessage());
    await waitFor('unreadiness', async () => !(await isReady(subscriber)));
    expect(await check(subscriber, 'database')).toEqual(down(/Messages cannot be stored: .*42501/));
  } finally {
    await storage.server.query('GRANT INSERT ON subscriber.inbox TO subscriber');
  }
  await waitFor('readiness', () => isReady(subscriber));
});

/** Also for the connections that are open, as at a server whose disk is full. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  await storage.server.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await storage.server.query('SELECT pg_reload_conf()');
}

it('stops reading while a check of the gateway has no answer', async () => {
  const subscriber = start();
  await waitFor('the readiness', () => isReady(subscriber));
  gateway.silent = true;
  const requests = gateway.unanswered;
  await waitFor('a check', () => gateway.unanswered > requests);
  subscribers = [];
  const startedAt = performance.now();
  const stopped = subscriber.stop();
  await waitFor('the end of the connection', () => gateway.closed === 1);
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  gateway.silent = false;
  gateway.closeRequests();
  await stopped;
});

it('is not live while a batch is neither stored nor refused, although the lease is renewed', async () => {
  const subscriber = startSubscriber(environment, storage.database, { stuckAfterMs: 500 });
  subscribers.push(subscriber);
  await waitFor('readiness', () => isReady(subscriber));
  expect(subscriber.live()).toEqual({ status: 'ok', checks: { reader: { status: 'up' } } });
  const other = new Database({ url: storage.server.adminUrl, schema: SCHEMA });
  let release = (): void => undefined;
  const locked = other.transaction(async (session) => {
    await session.query('LOCK TABLE subscriber.archive');
    gateway.deliver(await signedMessage());
    await new Promise<void>((resolve) => (release = resolve));
  });
  await waitFor('the blocked batch', () => subscriber.live().status === 'error');
  expect(subscriber.live().checks['reader']).toEqual(down(/neither stored nor refused/));
  expect(await subscriber.metrics()).toContain('settlement_bridge_subscriber_messages_buffered 1');
  release();
  await locked;
  await other.close();
  await waitFor('progress', () => subscriber.live().status === 'ok');
  const changes = subscriber.lines.filter(({ msg }) => String(msg).startsWith('liveness'));
  expect(changes.map(({ msg, what }) => [msg, what])).toEqual([
    ['liveness lost', 'reader'],
    ['liveness restored', 'reader'],
  ]);
});
