import { waitFor } from '@ssb/testing';
import { PlainFixture } from './support/plain-fixture.js';
import { CHANNEL, gateway as sender } from './support/signed-messages.js';

const OTHER = 'other.channels.bridge.apps.participant.iam.market';
/** Each read begins at its `from`. */
const STATELESS = { clientIds: 'ignored', consumersBy: 'none' } as const;

const fixture = new PlainFixture();
beforeAll(() => fixture.open());
afterEach(async () => {
  expect(fixture.gateway.violations).toEqual([]);
  const refused = fixture.gateway.requests.filter(({ status }) => status === 400);
  expect(refused.filter(({ path, query }) => path !== '/events' && !query.includes('clientId'))).toEqual([]);
  await fixture.reset();
});
afterAll(() => fixture.close());

const upgrades = () => fixture.gateway.requests.filter(({ path }) => path === '/events');

describe('the public gateway', () => {
  it('pushes 20 of 20 events', async () => {
    await fixture.openGateway({ emitMode: 'BULK' });
    await fixture.startReading();
    expect(fixture.lines('gateway delivery selected')).toMatchObject([
      { mode: 'plain', reason: 'ws.yaml does not declare ack=explicit' },
    ]);
    await fixture.waitForArchived(fixture.publish(20));
    expect(upgrades()).toMatchObject([{ query: '', status: 101 }]);
    expect(await fixture.metric('settlement_bridge_subscriber_catch_up_messages_total')).toBe(0);
    expect(await fixture.metric('settlement_bridge_subscriber_delivery{mode="plain"}')).toBe(1);
    expect(await fixture.metric('settlement_bridge_subscriber_watermark_age_seconds')).toBeGreaterThanOrEqual(
      0,
    );
  });

  it('is read from the beginning at the first start, and with another consumer after a restart', async () => {
    await fixture.openGateway();
    const before = fixture.publish(5);
    await waitFor('the push to no client', () => fixture.gateway.pushed(CHANNEL) === 5);
    await fixture.startReading();
    await fixture.waitForArchived(before);
    expect(Date.parse(fixture.reads()[0]?.get('from') ?? '')).toBeLessThan(Date.parse('2000-01-01'));

    await fixture.stopSubscriber();
    const away = fixture.publish(10);
    await waitFor('the push to no client', () => fixture.gateway.pushed(CHANNEL) === 15);
    await fixture.startReading();
    await fixture.waitForArchived([...before, ...away]);
    expect(fixture.gateway.consumers).toHaveLength(2);
    const [first, second] = fixture.gateway.consumers;
    expect(second?.clientId).not.toBe(first?.clientId);
    expect(second?.from).not.toBe(first?.from);
  });

  it('loses nothing of 20 messages in lost responses and restarts', async () => {
    const gateway = await fixture.openGateway();
    const ids: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await fixture.stopSubscriber();
      ids.push(...fixture.publish(10));
      await waitFor('the push to no client', () => gateway.pushed(CHANNEL) === ids.length);
      gateway.loseResponses(1);
      await fixture.start();
      await fixture.waitForLine('catch-up failed');
      await fixture.waitForArchived(ids);
    }
    const pairs = gateway.consumers.map(({ clientId, from }) => `${clientId} ${from}`);
    expect(new Set(pairs).size).toBe(4);
  });

  it('is ready, and its watermark moves, only after a read that shows the end', async () => {
    const gateway = await fixture.openGateway({
      hasEvents: false,
      consumersBy: 'client-id',
      clientIds: 'ignored',
    });
    gateway.loseResponses(1);
    fixture.publish(1);
    const subscriber = await fixture.start({ GATEWAY_READ_INTERVAL_MS: '100' }, { failingAfterMs: 0 });
    await fixture.waitForAlert('raised', 'catch-up-failing');
    await fixture.waitForLine('catch-up failed', 2);
    expect((await subscriber.ready()).checks['gateway stream']).toMatchObject({
      status: 'down',
      message: expect.stringContaining('does not show that there are none'),
    });
    expect(await fixture.storage.database.query('SELECT 1 FROM channel_watermark')).toEqual([]);
    const later = fixture.publish(1);
    await fixture.waitForArchived(later);
    await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  });

  it('reports the limit of consumers, makes few more, and reads on', async () => {
    const gateway = await fixture.openGateway({ maxConsumers: 1 });
    const first = fixture.publish(3);
    await fixture.startReading({ GATEWAY_CATCH_UP_INTERVAL_MS: '1000' });
    await fixture.waitForArchived(first);
    await fixture.start();
    await fixture.waitForLine('catch-up failed');
    expect(await fixture.storage.countRecentConsumers()).toBe(2);
    await fixture.storage.addConsumers(CHANNEL, 8);
    await fixture.start();
    expect(await fixture.waitForAlert('raised', 'catch-up-failing')).toMatchObject({
      data: {
        channel: CHANNEL,
        detail: expect.stringMatching(/^More than 10 catch-ups in 24 hours needed a new consumer/),
      },
    });
    expect(await fixture.storage.countRecentConsumers()).toBe(10);
    expect(gateway.consumers).toHaveLength(1);
    await fixture.waitForArchived([...first, ...fixture.publish(2)]);
  });
});

it('stores a burst that is larger than WINDOW, without a catch-up', async () => {
  const gateway = await fixture.openGateway({ emitMode: 'SINGLE', maxPerPush: 600 });
  await fixture.startReading({ WINDOW: '4' });
  const reads = fixture.reads().length;
  gateway.stopPush();
  const ids = fixture.publish(40);
  gateway.startPush();
  await fixture.waitForArchived(ids);
  expect(await fixture.metric('settlement_bridge_subscriber_pushes_dropped_total')).toBe(0);
  expect(fixture.reads()).toHaveLength(reads);
});

it('reads each of several channels after an interruption and a stop, and only them', async () => {
  const gateway = await fixture.openGateway(STATELESS, [CHANNEL, OTHER]);
  const publish = (): string[] => [...fixture.publish(5), ...fixture.publish(7, OTHER)];
  const ids = publish();
  await fixture.startReading();
  await fixture.waitForArchived(ids);
  gateway.dropConnections();
  ids.push(...publish());
  await fixture.waitForArchived(ids);
  await fixture.stopSubscriber();
  ids.push(...publish());
  await fixture.startReading();
  await fixture.waitForArchived(ids);
  expect(new Set(fixture.reads().map((read) => read.get('fqcn')))).toEqual(new Set([CHANNEL, OTHER]));
});

describe('a gateway without client ids', () => {
  it('delivers everything that was published during an interruption or a stop', async () => {
    const gateway = await fixture.openGateway(STATELESS);
    await fixture.startReading();
    const pushed = fixture.publish(10);
    await fixture.waitForArchived(pushed);

    gateway.dropConnections();
    const interrupted = fixture.publish(20);
    await fixture.waitForArchived([...pushed, ...interrupted]);
    await fixture.waitForLine('catch-up completed', 2);

    await fixture.stopSubscriber();
    const stopped = fixture.publish(10);
    await waitFor('the push to no client', () => gateway.pushed(CHANNEL) === 40);
    const reads = fixture.reads().length;
    await fixture.startReading();
    await fixture.waitForArchived([...pushed, ...interrupted, ...stopped]);
    const from = Date.parse(fixture.reads()[reads]?.get('from') ?? '');
    expect(Date.now() - from).toBeLessThan(10 * 60_000);
    expect(fixture.reads().every((read) => read.get('amount') !== null)).toBe(true);
  });

  it('returns what a subscriber had received and not stored when it ended', async () => {
    await fixture.openGateway(STATELESS);
    await fixture.startReading();
    const { server } = fixture.storage;
    await server.query('REVOKE INSERT ON subscriber.inbox FROM subscriber');
    const ids = fixture.publish(20);
    await waitFor(
      'the pushes',
      async () => (await fixture.metric('settlement_bridge_subscriber_messages_buffered')) === 20,
    );
    await fixture.stopSubscriber();
    await server.query('GRANT INSERT ON subscriber.inbox TO subscriber');
    expect(await fixture.archivedIds()).toEqual([]);
    await fixture.startReading();
    await fixture.waitForArchived(ids);
  });

  it('returns all messages of one time over several pages', async () => {
    const gateway = await fixture.openGateway(STATELESS);
    const at = gateway.now();
    gateway.now = () => at;
    const ids = fixture.publish(13);
    await fixture.startReading({}, { initialAmount: 4, maxAmount: 16 });
    await fixture.waitForArchived(ids);
    expect(new Set(fixture.reads().map((read) => read.get('amount')))).toEqual(new Set(['4', '8', '16']));
    expect(fixture.lines('retention gap')).toEqual([]);
  });

  it('reports a gap where more messages have one time than the gateway returns, and reads on', async () => {
    const gateway = await fixture.openGateway(STATELESS);
    const at = gateway.now();
    gateway.now = () => at;
    const dense = fixture.publish(20);
    gateway.now = () => at + 5_000_000n;
    const later = fixture.publish(2);
    await fixture.startReading({ GATEWAY_CATCH_UP_INTERVAL_MS: '1000' }, { initialAmount: 4, maxAmount: 16 });
    await fixture.waitForArchived([...dense.slice(0, 16), ...later]);
    expect(await fixture.waitForAlert('raised', 'retention-gap')).toMatchObject({
      data: { channel: CHANNEL, detail: expect.stringContaining('16 messages') },
    });
    await fixture.waitForLine('catch-up completed', 3);
    await fixture.startReading({}, { initialAmount: 4, maxAmount: 16 });
    expect(await fixture.metric('settlement_bridge_subscriber_gaps_total')).toBe(0);
  });

  it('is read at intervals: a lost push arrives, a pushed message is stored once, a malformed one is reported', async () => {
    const gateway = await fixture.openGateway(STATELESS);
    const before = fixture.publish(2);
    Reflect.deleteProperty(gateway.append(CHANNEL, { payload: 'p' }), 'signature');
    await fixture.startReading({ GATEWAY_CATCH_UP_INTERVAL_MS: '1000' });
    gateway.append(CHANNEL, { payload: 'no event', signer: sender });
    const pushed = fixture.publish(1);
    await fixture.waitForArchived([...before, ...pushed]);
    await waitFor(
      'the repeats',
      async () => (await fixture.metric('settlement_bridge_subscriber_repeats_total{of="event"}')) >= 2,
    );
    expect(await fixture.storage.database.query('SELECT message_id FROM quarantine')).toHaveLength(1);
    const read = await fixture.metric('settlement_bridge_subscriber_catch_up_messages_total');
    gateway.stopPush();
    const lost = fixture.publish(3);
    await fixture.waitForArchived([...before, ...pushed, ...lost]);
    expect(await fixture.metric('settlement_bridge_subscriber_catch_up_messages_total')).toBe(read + 3);
    const [skipped, ...others] = fixture.lines('malformed message skipped');
    expect(skipped).toMatchObject({
      channel: CHANNEL,
      messageId: '3',
      detail: expect.stringContaining('signature'),
    });
    expect(others.length).toBeLessThanOrEqual(1);
    expect(await fixture.waitForAlert('raised', 'retention-gap')).toMatchObject({
      data: {
        channel: CHANNEL,
        detail: expect.stringContaining('Message 3 does not conform to document 002'),
      },
    });
  });

  it('drops pushes while too many wait, and a catch-up reads them', async () => {
    const gateway = await fixture.openGateway({ ...STATELESS, emitMode: 'BULK' });
    await fixture.startReading({}, { maxBuffered: 3 });
    gateway.stopPush();
    const ids = fixture.publish(12);
    gateway.startPush();
    await fixture.waitForArchived(ids);
    expect(await fixture.metric('settlement_bridge_subscriber_pushes_dropped_total')).toBeGreaterThan(0);
    expect(fixture.lines('pushed messages dropped').length).toBeGreaterThan(0);
  });
});

describe('a gateway with nothing beyond document 002', () => {
  it('is read without /events, and is ready until a read fails, which is a fault', async () => {
    await fixture.openGateway({ ...STATELESS, documents: 'none', hasEvents: false });
    const subscriber = await fixture.startReading({ GATEWAY_READ_INTERVAL_MS: '100' }, { failingAfterMs: 0 });
    const ids = fixture.publish(10);
    await fixture.waitForArchived(ids);
    ids.push(...fixture.publish(3));
    await fixture.waitForArchived(ids);
    expect(fixture.lines('gateway without events endpoint')).toHaveLength(1);
    expect(upgrades()).toHaveLength(1);
    expect(await fixture.metric('settlement_bridge_subscriber_stream_connected')).toBe(1);
    expect((await subscriber.ready()).status).toBe('ok');

    fixture.gateway.roleState = 'AWAITING_APPROVAL';
    await waitFor(
      'unreadiness',
      async () => (await subscriber.ready()).checks['gateway stream']?.status === 'down',
    );
    expect((await subscriber.ready()).checks['gateway stream']?.message).toMatch(
      /^The gateway has no \/events connection \(plain delivery\), and reading fails: GET \/message of .* 403/,
    );
    expect(await fixture.waitForAlert('raised', 'catch-up-failing')).toMatchObject({
      data: { channel: CHANNEL, detail: expect.stringContaining('403') },
    });
    ids.push(...fixture.publish(2));
    fixture.gateway.roleState = 'APPROVED';
    await fixture.waitForAlert('cleared', 'catch-up-failing');
    await fixture.waitForArchived(ids);
  });

  it('is read while it refuses connections for another reason', async () => {
    await fixture.openGateway({ ...STATELESS, eventsStatus: '400 Bad Request' });
    const before = fixture.publish(3);
    const subscriber = await fixture.start({ GATEWAY_READ_INTERVAL_MS: '100' }, { maxDisconnectedMs: 50 });
    await fixture.waitForArchived(before);
    await fixture.waitForLine('gateway read without its stream');
    await fixture.waitForArchived([...before, ...fixture.publish(3)]);
    await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  });
});

it('GATEWAY_DELIVERY=acknowledged is obeyed, and readiness names the refusal', async () => {
  await fixture.openGateway();
  const subscriber = await fixture.start({ GATEWAY_DELIVERY: 'acknowledged' });
  await waitFor('the refusal', () => upgrades().some(({ status }) => status === 404));
  await waitFor('unreadiness', async () =>
    /acknowledged delivery\) is not connected: .*404/.test(
      (await subscriber.ready()).checks['gateway stream']?.message ?? '',
    ),
  );
  expect(fixture.gateway.requests.some(({ path }) => path.includes('docs'))).toBe(false);
});

it('waits for the documents of a gateway that does not respond yet', async () => {
  const gateway = await fixture.openGateway();
  await gateway.stop();
  const subscriber = await fixture.start();
  await fixture.waitForLine('gateway delivery unknown');
  expect((await subscriber.ready()).checks['gateway stream']?.message).toMatch(
    /^The delivery mode of the gateway is unknown: no response .*\. GATEWAY_DELIVERY can be acknowledged or plain\. Check the gateway and GATEWAY_URL\.$/,
  );
  await gateway.start();
  await fixture.waitForArchived(fixture.publish(1));
});
