import type { Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { CHANNEL, gatewayDid, marketTime, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const PLAIN = { GATEWAY_DELIVERY: 'plain' };
const DAY_MS = 86_400_000;

const fixture = SubscriberFixture.use();

/** Messages of different events, in the order of the bus. */
async function messages(count: number): Promise<Message[]> {
  const made: Message[] = [];
  for (let at = 0; at < count; at += 1)
    made.push(await signedMessage({ fact: { calculatedAt: marketTime(100 - at) }, signedAt: new Date() }));
  return made;
}

/** Ids of the archived messages, in their order. */
async function archived(): Promise<string[]> {
  const rows = await fixture.storage.database.query<{ message_id: string }>(
    "SELECT message_id FROM archive WHERE channel <> 'local' ORDER BY archive_offset",
  );
  return rows.map(({ message_id }) => message_id);
}

const idsOf = (list: readonly Message[]): string[] => list.map(({ id }) => id);

/** Starts a subscriber whose first catch-up has no response, and pushes a message to it. */
async function pushDuringCatchUp(maxHoldMs: number) {
  const { gateway } = fixture;
  const [missed, pushed] = (await messages(2)) as [Message, Message];
  gateway.stored = [missed];
  gateway.holdsReads = true;
  const subscriber = await fixture.start(fixture.environment(), PLAIN, { catchUpLimits: { maxHoldMs } });
  await waitFor('the catch-up', () => gateway.heldReads === 1);
  gateway.deliver(pushed);
  return { subscriber, missed, pushed };
}

it('holds pushes until the catch-up of the connection has ended', async () => {
  const { subscriber, missed, pushed } = await pushDuringCatchUp(3_600_000);
  await waitFor('the push', async () =>
    /^settlement_bridge_subscriber_messages_buffered 1$/m.test(await subscriber.metrics()),
  );
  expect(await archived()).toEqual([]);
  fixture.gateway.respondToReads();
  await waitFor('both messages', async () => (await archived()).length === 2);
  expect(await archived()).toEqual(idsOf([missed, pushed]));
});

it('stores pushes while a catch-up has no response, after a short time, and stops at once', async () => {
  const { pushed } = await pushDuringCatchUp(50);
  await waitFor('the push', async () => (await archived()).length === 1);
  expect(await archived()).toEqual([pushed.id]);
  await fixture.stopSubscriber();
  expect(fixture.gateway.heldReads).toBe(1);
});

it('uses /events again once the gateway has it', async () => {
  const { gateway } = fixture;
  gateway.hasEvents = false;
  const variables = { ...PLAIN, GATEWAY_READ_INTERVAL_MS: '100' };
  const subscriber = await fixture.start(fixture.environment(), variables, {
    catchUpLimits: { eventsRetryMs: 20 },
  });
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  const [stored, pushed] = (await messages(2)) as [Message, Message];
  gateway.stored = [stored];
  await waitFor('the read message', async () => (await archived()).length === 1);
  gateway.hasEvents = true;
  await waitFor('the connection', () => gateway.connections.length === 1);
  gateway.deliver(pushed);
  await waitFor('the pushed message', async () => (await archived()).length === 2);
  expect(await archived()).toEqual(idsOf([stored, pushed]));
  const logged = subscriber.lines.filter(({ msg }) => String(msg).startsWith('gateway'));
  expect(logged.map(({ msg }) => msg)).toEqual([
    'gateway delivery selected',
    'gateway without events endpoint',
    'gateway stream connected',
  ]);
});

it('a switch of the delivery, and back, loses nothing and stores nothing twice', async () => {
  const { gateway } = fixture;
  const environment = fixture.environment();
  const [first, second, third, fourth] = (await messages(4)) as [Message, Message, Message, Message];
  await fixture.start(environment);
  await fixture.deliver(first);
  gateway.stored = [first, second];
  const { length: before } = gateway.connections;
  await fixture.start(environment, PLAIN);
  await waitFor('the second message', async () => (await archived()).includes(second.id));
  await waitFor('the plain stream', () => gateway.connections.length > before);
  gateway.deliver(third);
  await waitFor('the third message', async () => (await archived()).includes(third.id));
  await fixture.start(environment);
  await fixture.deliver(fourth);
  expect(await archived()).toEqual(idsOf([first, second, third, fourth]));
});

it('detects the delivery again when a gateway without acknowledgement replaces the other', async () => {
  const { gateway } = fixture;
  const [stored, missed, pushed] = (await messages(3)) as [Message, Message, Message];
  const subscriber = await fixture.start(fixture.environment());
  await fixture.deliver(stored);
  gateway.acknowledges = false;
  gateway.stored = [stored, missed];
  gateway.drop();
  await waitFor('the missed message', async () => (await archived()).includes(missed.id));
  await waitFor('the plain stream', () => gateway.connections.at(-1)?.search === '');
  gateway.deliver(pushed);
  await waitFor('the pushed message', async () => (await archived()).includes(pushed.id));
  expect(await archived()).toEqual(idsOf([stored, missed, pushed]));
  const selected = subscriber.lines.filter(({ msg }) => msg === 'gateway delivery selected');
  expect(selected.map(({ mode }) => mode)).toEqual(['acknowledged', 'plain']);
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
});

it('reports a gap when the bus keeps messages for less than the watermark is old', async () => {
  const { gateway, storage } = fixture;
  gateway.channels = [{ fqcn: CHANNEL, subscribers: [gatewayDid], maxMsgAge: DAY_MS * 1e6 }];
  const readAt = new Date(Date.now() - 2 * DAY_MS);
  await storage.server.query(
    `INSERT INTO subscriber.channel_watermark (client_id, channel, read_up_to_nanos, complete_until)
     VALUES ('subscriber', $1, 0, $2)`,
    [CHANNEL, readAt],
  );
  const webhookTypes = ['settlementbus.bridge.alert.raised.v1'];
  await fixture.start(fixture.environment({ webhookTypes }), PLAIN);
  await fixture.waitForDeliveries(1);
  const { data } = JSON.parse(fixture.deliveries[0]?.body ?? '') as { data: object };
  expect(data).toMatchObject({
    reason: 'retention-gap',
    channel: CHANNEL,
    detail: expect.stringContaining(readAt.toISOString()),
  });
  await waitFor('the watermark', async () => {
    const [row] = await storage.server.query('SELECT complete_until FROM subscriber.channel_watermark');
    return (row?.['complete_until'] as Date) > readAt;
  });
});
