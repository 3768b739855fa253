import { Database } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { PASSWORD } from './support/fake-gateway.js';
import { startSubscriber, type RunningSubscriber } from './support/running-subscriber.js';
import { CHANNEL, gatewayDid, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const fixture = SubscriberFixture.use();

const start = (
  variables: Record<string, string> = {},
  options?: Parameters<typeof startSubscriber>[2],
): Promise<RunningSubscriber> =>
  fixture.start(fixture.environment(), { GATEWAY_CHECK_INTERVAL_MS: '100', ...variables }, options);
const isReady = async (subscriber: RunningSubscriber): Promise<boolean> =>
  (await subscriber.ready()).status === 'ok';
const check = async (subscriber: RunningSubscriber, name: string) => (await subscriber.ready()).checks[name];
const down = (message: RegExp) => ({ status: 'down', message: expect.stringMatching(message) });
const faultReasons = (subscriber: RunningSubscriber): string[] =>
  subscriber.faults().map(({ reason }) => reason);

it('is not ready while the gateway refuses access, logs it once, recovers, and stops reading while a check has no response', async () => {
  const { gateway } = fixture;
  const subscriber = await start();
  await waitFor('readiness', () => isReady(subscriber));
  const permit = (...subscribers: string[]) => (gateway.channels = [{ fqcn: CHANNEL, subscribers }]);
  const steps: [string, () => void, () => void, RegExp][] = [
    [
      'gateway-not-enrolled',
      () => (gateway.enrolled = false),
      () => (gateway.enrolled = true),
      /is not enrolled/,
    ],
    [
      'channel-not-permitted',
      () => permit(`did:ethr:0x${'b'.repeat(40)}`),
      () => permit(gatewayDid),
      /do not include/,
    ],
  ];
  for (const [reason, breakIt, repair, message] of steps) {
    breakIt();
    await waitFor(reason, () => faultReasons(subscriber).includes(reason));
    expect(await check(subscriber, 'gateway')).toEqual(down(message));
    repair();
    await waitFor('readiness', () => isReady(subscriber));
    expect(subscriber.faults()).toEqual([]);
  }
  const changes = subscriber.lines.filter(({ msg }) => msg === 'fault reported' || msg === 'fault ended');
  expect(changes.map((line) => [line['msg'], line['reason']])).toEqual(
    steps.flatMap(([reason]) => [
      ['fault reported', reason],
      ['fault ended', reason],
    ]),
  );

  gateway.silent = true;
  const requests = gateway.unanswered;
  await waitFor('a check', () => gateway.unanswered > requests);
  let hasStopped = false;
  const stopped = fixture.stopSubscriber().then(() => (hasStopped = true));
  await waitFor('the end of the connection', () => gateway.closed === 1);
  expect(hasStopped).toBe(false);
  gateway.silent = false;
  gateway.closeRequests();
  await stopped;
});

it('checks the gateway at once when its stream ends', async () => {
  const subscriber = await start({ GATEWAY_CHECK_INTERVAL_MS: '3600000' });
  await waitFor('readiness', () => isReady(subscriber));
  fixture.gateway.password = 'another';
  fixture.gateway.drop();
  await waitFor('the fault', () => faultReasons(subscriber).includes('gateway-credentials-refused'));
});

it('is ready as a replica that does not read, and not with a wrong password', async () => {
  const { gateway, storage } = fixture;
  const reader = await start({ REPLICA_NAME: 'reader' });
  await waitFor('the reader', () => isReady(reader));
  const { variables, ...environment } = fixture.environment();
  const standby = await startSubscriber(
    {
      ...environment,
      variables: { ...variables, GATEWAY_CHECK_INTERVAL_MS: '100', REPLICA_NAME: 'standby' },
    },
    storage.url,
  );
  try {
    await waitFor('the standby', () => isReady(standby));
    expect(gateway.connections).toHaveLength(1);
    gateway.password = 'another';
    await waitFor('unreadiness', async () => !(await isReady(standby)));
    expect(await check(standby, 'gateway')).toEqual(down(/refuses the user or password/));
  } finally {
    gateway.password = PASSWORD;
    await standby.stop();
  }
});

it('is not ready while the database is read-only', async () => {
  const subscriber = await start({ LEASE_TTL_MS: '3000' });
  await waitFor('readiness', () => isReady(subscriber));
  await setReadOnly('on');
  try {
    // The lease may end before its renewal has failed twice.
    await waitFor('unreadiness', async () => {
      const { status, message = '' } = (await check(subscriber, 'replica lease')) ?? {};
      return status === 'down' && /cannot be renewed: .*read-only.*25006/.test(message);
    });
  } finally {
    await setReadOnly('off');
  }
  await waitFor('readiness', () => isReady(subscriber));
});

/** Also for the connections that are open, as at a server whose disk is full. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  const { server } = fixture.storage;
  await server.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await server.query('SELECT pg_reload_conf()');
}

it('is not live while a batch is neither stored nor refused, although the lease is renewed', async () => {
  const { gateway, storage } = fixture;
  const subscriber = await start({}, { stuckAfterMs: 500 });
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
