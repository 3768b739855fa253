import type { Message } from '@ssb/bus';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { marketTime, originDid, signedMessage } from './support/signed-messages.js';
import { SubscriberFixture } from './support/subscriber-fixture.js';

let fixture: SubscriberFixture;
let messages: Message[];

beforeEach(async () => {
  fixture = await SubscriberFixture.open();
  const signedAt = new Date();
  messages = await Promise.all(
    [4, 3, 2, 1].map((minutes) => signedMessage({ fact: { calculatedAt: marketTime(minutes) }, signedAt })),
  );
});
afterEach(() => fixture.close());

const bodies = (...indexes: number[]): string[] => indexes.map((index) => messages[index]?.payload ?? '');

it('a bridge that becomes trusted while the subscriber runs: its quarantined messages are archived and alerted', async () => {
  const [first, second] = messages as [Message, Message];
  const subscriber = await fixture.start(fixture.environment({ origins: [didOfKey(generatePrivateKey())] }));
  await fixture.deliver(first);
  expect(fixture.deliveries).toEqual([]);
  await subscriber.reconfigure(fixture.environment({ origins: [originDid] }));
  await fixture.waitForDeliveries(1);
  await fixture.deliver(second);
  await fixture.waitForDeliveries(2);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual(bodies(0, 1));
  expect((await subscriber.ready()).status).toBe('ok');
});

it('rules, sinks and channels change while messages arrive; each message is archived and alerted once', async () => {
  const [first, second, third, fourth] = messages as [Message, Message, Message, Message];
  const both = fixture.environment();
  const subscriber = await fixture.start(both);
  await fixture.deliver(first);
  await fixture.waitForDeliveries(1);
  fixture.gateway.deliver(second);
  await subscriber.reconfigure(fixture.environment({ webhookTypes: ['settlementbus.margin.restored.*'] }));
  await fixture.deliver(third);
  const delivered = fixture.deliveries.length;
  await subscriber.reconfigure(both);
  await fixture.deliver(fourth);
  await fixture.waitForDeliveries(delivered + 1);
  // The second one belongs to the configuration with which it was read. The third is archived without an alert.
  const alerted = fixture.deliveries.map(({ body }) => body);
  expect(alerted.filter((body) => body !== second.payload)).toEqual(bodies(0, 3));
  expect(new Set(alerted).size).toBe(alerted.length);
  const archived = await fixture.queries.listArchived({ limit: 100 });
  expect(archived.map(({ text }) => text).sort()).toEqual(bodies(0, 1, 2, 3).sort());
});

it('a participant that is added is watched from then on, and its facts alert', async () => {
  const since = { alertsSince: undefined };
  const subscriber = await fixture.start(
    fixture.environment({ ...since, trust: [{ origins: [originDid], participants: ['OTHER'] }] }),
  );
  await waitFor('the first participant', async () => (await fixture.participants()).length === 1);
  await subscriber.reconfigure(
    fixture.environment({ ...since, trust: [{ origins: [originDid], participants: ['OTHER', 'WPGENCO'] }] }),
  );
  await waitFor('the second participant', async () => (await fixture.participants()).length === 2);
  const now = await signedMessage({ fact: { calculatedAt: marketTime(0) }, signedAt: new Date() });
  await fixture.deliver(now);
  await fixture.waitForDeliveries(1);
});
