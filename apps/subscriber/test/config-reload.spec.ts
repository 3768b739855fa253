import type { ServerResponse } from 'node:http';
import type { Message } from '@ssb/bus';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { Database } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { CHANNEL, gatewayDid, marketTime, originDid, signedMessage } from '@ssb/testing/signed-messages';
import { startHttpSink } from '@ssb/testing/sinks';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const fixture = SubscriberFixture.use();
let messages: Message[];

beforeEach(async () => {
  const signedAt = new Date();
  messages = await Promise.all(
    [5, 4, 3, 2, 1].map((minutes) =>
      signedMessage({ fact: { calculatedAt: marketTime(minutes) }, signedAt }),
    ),
  );
});

const bodies = (...indexes: number[]): string[] => indexes.map((index) => messages[index]?.payload ?? '');

const waitForDelivery = ({ id, payload }: Message) =>
  waitFor(`the delivery of ${id}`, () => fixture.deliveries.some(({ body }) => body === payload));

const NEXT = CHANNEL.replace('prudential', 'renamed');

/** The route has another channel, and the senders of the previous one are still there. */
const renamed = { channels: [NEXT], senderChannels: [CHANNEL, NEXT] };

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
  await waitFor('readiness', async () => (await subscriber.ready()).status === 'ok');
  const origins = (await fixture.trustedKeys()).filter(({ role }) => role === 'origin');
  expect(origins.map(({ did, ended }) => [did === originDid, ended])).toEqual([
    [false, true],
    [true, false],
  ]);
});

it('keys of a configuration that changes while the former ones are recorded are recorded as well', async () => {
  const admin = new Database({ url: fixture.storage.server.adminUrl, schema: SCHEMA });
  await admin.transaction(async (session) => {
    await session.query('LOCK TABLE trusted_key');
    const subscriber = await fixture.start(
      fixture.environment({ origins: [didOfKey(generatePrivateKey())] }),
    );
    await waitFor('the recording', async () => {
      const waiting = await fixture.storage.server.query(
        `SELECT FROM pg_locks WHERE relation = 'subscriber.trusted_key'::regclass AND NOT granted`,
      );
      return waiting.length > 0;
    });
    await subscriber.reconfigure(fixture.environment({ origins: [originDid] }));
  });
  await admin.close();
  await fixture.deliver(messages[0] as Message);
  await fixture.waitForDeliveries(1);
  const origins = (await fixture.trustedKeys()).filter(({ role }) => role === 'origin');
  expect(origins.map(({ did, ended }) => [did === originDid, ended])).toEqual([
    [false, true],
    [true, false],
  ]);
});

it('rules, sinks and channels change while messages arrive; each message is archived and alerted once', async () => {
  const [first, second, third, fourth, fifth] = messages as [Message, Message, Message, Message, Message];
  fixture.gateway.channels = [CHANNEL, NEXT].map((fqcn) => ({ fqcn, subscribers: [gatewayDid] }));
  const both = fixture.environment();
  const subscriber = await fixture.start(both);
  await fixture.deliver(first);
  await fixture.waitForDeliveries(1);
  fixture.gateway.deliver(second);
  await subscriber.reconfigure(fixture.environment({ webhookTypes: ['settlementbus.margin.restored.*'] }));
  await fixture.deliver(third);
  await subscriber.reconfigure(both);
  await fixture.deliver(fourth);
  await waitForDelivery(fourth);
  await subscriber.reconfigure(fixture.environment(renamed));
  await fixture.deliver(fifth);
  await waitForDelivery(fifth);
  // The second one belongs to the configuration with which it was read. The third is archived without an alert.
  const alerted = fixture.deliveries.map(({ body }) => body);
  expect(alerted.filter((body) => body !== second.payload)).toEqual(bodies(0, 3, 4));
  expect(new Set(alerted).size).toBe(alerted.length);
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ text }) => text).sort()).toEqual(bodies(0, 1, 2, 3, 4).sort());
});

it('a participant that is added is watched from then on, and its facts alert', async () => {
  const since = { alertsSince: undefined };
  const subscriber = await fixture.start(
    fixture.environment({ ...since, trust: [{ origins: [originDid], participants: ['OTHER'] }] }),
    { LEASE_TTL_MS: '3000' },
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

it('a channel without a route is read where the gateway has plain delivery', async () => {
  const [first] = messages as [Message];
  fixture.gateway.channels = [CHANNEL, NEXT].map((fqcn) => ({ fqcn, subscribers: [gatewayDid] }));
  fixture.gateway.acknowledges = false;
  fixture.gateway.stored = [first];
  await fixture.start(fixture.environment(renamed));
  await fixture.waitForDeliveries(1);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual(bodies(0));
});

it('the alerts about a participant and a channel that the file does not name any more end', async () => {
  const trust = (...participants: string[]) => ({ trust: [{ origins: [originDid], participants }] });
  fixture.gateway.channels = [CHANNEL, NEXT].map((fqcn) => ({ fqcn, subscribers: [gatewayDid] }));
  const subscriber = await fixture.start(
    fixture.environment({ ...trust('WPGENCO', 'FORMER'), channels: [CHANNEL, NEXT] }),
    { HEARTBEAT_TIMEOUT_MS: '1000' },
  );
  const missing = async (): Promise<unknown[]> =>
    fixture.storage.database.query(
      `SELECT participant, channel FROM fault WHERE reason = 'heartbeat-missing' AND ended_at IS NULL ORDER BY key`,
    );
  await waitFor('the alerts', async () => (await missing()).length === 4);
  await subscriber.reconfigure(fixture.environment(trust('WPGENCO')));
  await waitFor('their end', async () => (await missing()).length === 1);
  expect(await missing()).toEqual([{ participant: 'WPGENCO', channel: CHANNEL }]);
  const archived = await fixture.queries.listArchived();
  const cleared = archived
    .map(({ text }) => JSON.parse(text) as { type: string; participant: string })
    .filter(({ type }) => type === 'settlementbus.bridge.alert.cleared.v1');
  expect(cleared.map(({ participant }) => participant).sort()).toEqual(['FORMER', 'FORMER', 'WPGENCO']);
});

it('a change restarts only what uses it, and an attempt in progress continues', async () => {
  const held: ServerResponse[] = [];
  const sink = await startHttpSink((_, response) => held.push(response));
  const environment = (change: Parameters<typeof fixture.environment>[0] = {}) =>
    fixture.environment({ webhookUrl: sink.url, ...change });
  const subscriber = await fixture.start(environment());
  const readings = () => subscriber.lines.filter(({ msg }) => msg === 'gateway delivery selected').length;
  const waited = async (): Promise<number> =>
    Number(
      /^settlement_bridge_subscriber_heartbeat_age_seconds\{.*\} (.*)$/m.exec(
        await subscriber.metrics(),
      )?.[1],
    );
  await fixture.deliver(messages[0] as Message);
  await waitFor('the attempt', () => held.length === 1);
  await waitFor('the wait for a heartbeat', async () => (await waited()) > 0.2);
  const before = await waited();
  await subscriber.reconfigure(environment({ warning: '1.00' }));
  held[0]?.writeHead(204).end();
  await waitFor('the delivery', () =>
    subscriber.lines.some(({ msg, sink: name }) => msg === 'delivery succeeded' && name === 'treasury'),
  );
  expect([sink.requests.length, readings()]).toEqual([1, 1]);
  await subscriber.reconfigure(environment({ webhookTypes: ['settlementbus.margin.*'] }));
  await waitFor('the second reading', () => readings() === 2);
  // The wait for the first heartbeat continues.
  expect(await waited()).toBeGreaterThanOrEqual(before);
  await fixture.stopSubscriber();
  await sink.stop();
});
