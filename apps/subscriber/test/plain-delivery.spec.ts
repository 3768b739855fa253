import { waitFor } from '@ssb/testing';
import { PlainFixture } from './support/plain-fixture.js';
import { CHANNEL, gateway as sender } from '@ssb/testing/signed-messages';

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
  it('is read from the beginning, and pushes every event of a burst that is larger than WINDOW', async () => {
    const gateway = await fixture.openGateway({ emitMode: 'SINGLE', maxPerPush: 600 });
    const ids = fixture.publish(5);
    await waitFor('the push to no client', () => gateway.pushed(CHANNEL) === 5);
    await fixture.startReading({ WINDOW: '4' });
    expect(fixture.lines('gateway delivery selected')).toMatchObject([
      { mode: 'plain', reason: 'ws.yaml does not declare ack=explicit' },
    ]);
    await fixture.waitForArchived(ids);
    expect(Date.parse(fixture.reads()[0]?.get('from') ?? '')).toBeLessThan(Date.parse('2000-01-01'));
    const reads = fixture.reads().length;
    gateway.stopPush();
    ids.push(...fixture.publish(15));
    gateway.startPush();
    await fixture.waitForArchived(ids);
    expect(fixture.reads()).toHaveLength(reads);
    expect(upgrades()).toMatchObject([{ query: '', status: 101 }]);
    expect(await fixture.metric('settlement_bridge_subscriber_catch_up_messages_total')).toBe(5);
    expect(await fixture.metric('settlement_bridge_subscriber_pushes_dropped_total')).toBe(0);
    expect(await fixture.metric('settlement_bridge_subscriber_delivery{mode="plain"}')).toBe(1);
    expect(await fixture.metric('settlement_bridge_subscriber_watermark_age_seconds')).toBeGreaterThanOrEqual(
      0,
    );
  });

  it('loses nothing in lost responses and restarts, and is read with another consumer after each', async () => {
    const gateway = await fixture.openGateway();
    const ids: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      await fixture.stopSubscriber();
      ids.push(...fixture.publish(5));
      await waitFor('the push to no client', () => gateway.pushed(CHANNEL) === ids.length);
      gateway.loseResponses(1);
      await fixture.start();
      await fixture.waitForLine('catch-up failed');
      await fixture.waitForArchived(ids);
    }
    expect(new Set(gateway.consumers.map(({ clientId }) => clientId)).size).toBe(4);
    expect(new Set(gateway.consumers.map(({ from }) => from)).size).toBe(4);
  });

  it('reports the limit of consumers, makes few more, and reads on', async () => {
    const gateway = await fixture.openGateway({ maxConsumers: 1 });
    const first = fixture.publish(3);
    await fixture.startReading({ GATEWAY_CATCH_UP_INTERVAL_MS: '1000' });
    await fixture.waitForArchived(first);
    await fixture.storage.addConsumers(CHANNEL, 8);
    await fixture.start();
    await fixture.waitForLine('catch-up failed');
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

describe('a gateway without client ids', () => {
  it('returns what each of several channels missed in an interruption or a stop, or lost unstored', async () => {
    const gateway = await fixture.openGateway(STATELESS, [CHANNEL, OTHER]);
    const { server } = fixture.storage;
    const publish = (): string[] => [...fixture.publish(3), ...fixture.publish(5, OTHER)];
    const ids = publish();
    await fixture.startReading();
    await fixture.waitForArchived(ids);
    gateway.dropConnections();
    ids.push(...publish());
    await fixture.waitForArchived(ids);
    await fixture.waitForLine('catch-up completed', 4);

    await server.query('REVOKE INSERT ON subscriber.inbox FROM subscriber');
    const unstored = publish();
    await waitFor(
      'the pushes',
      async () => (await fixture.metric('settlement_bridge_subscriber_messages_buffered')) === 8,
    );
    await fixture.stopSubscriber();
    await server.query('GRANT INSERT ON subscriber.inbox TO subscriber');
    expect(await fixture.archivedIds()).toHaveLength(ids.length);
    ids.push(...unstored, ...publish());
    await waitFor('the push to no client', () => gateway.pushed(OTHER) === 20);
    const reads = fixture.reads().length;
    await fixture.startReading();
    await fixture.waitForArchived(ids);
    const from = Date.parse(fixture.reads()[reads]?.get('from') ?? '');
    expect(Date.now() - from).toBeLessThan(10 * 60_000);
    expect(new Set(fixture.reads().map((read) => read.get('fqcn')))).toEqual(new Set([CHANNEL, OTHER]));
    expect(fixture.reads().every((read) => read.get('amount') !== null)).toBe(true);
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
    await waitFor(
      'the count of the messages',
      async () => (await fixture.metric('settlement_bridge_subscriber_catch_up_messages_total')) === read + 3,
    );
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

it('waits for the documents of a gateway that does not respond yet', async () => {
  const gateway = await fixture.openGateway();
  await gateway.stop();
  const subscriber = await fixture.start();
  await fixture.waitForLine('gateway delivery unknown');
  expect((await subscriber.ready()).checks['gateway stream']?.message).toMatch(
    /^The delivery mode of the gateway is unknown: no response .*\. Check the gateway and GATEWAY_URL, or set GATEWAY_DELIVERY to acknowledged or plain\.$/,
  );
  await gateway.start();
  await fixture.waitForArchived(fixture.publish(1));
});
