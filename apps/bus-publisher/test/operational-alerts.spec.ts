import type { DetectedEvent } from '@ssb/events';
import { readSettings, SettingsError } from '@ssb/platform';
import { EVENTS_QUEUE } from '@ssb/redis-queue';
import { type ScriptedServer, startScriptedServer, waitFor } from '@ssb/testing';
import { Webhook } from 'standardwebhooks';
import { definition } from '../src/settings.js';
import { ACCEPT } from './support/fake-gateway.js';
import {
  breach,
  CHANNEL,
  deadLetters,
  gateway,
  isQueueEmpty,
  lines,
  prefix,
  published,
  queue,
  redis,
  refusal,
  sentAlerts,
  sentFacts,
  server,
  setUpPublisherTests,
  start,
  writeConfig,
} from './support/running-publisher.js';

setUpPublisherTests();

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

let receiver: ScriptedServer;
let withWebhook: Record<string, string>;

beforeEach(async () => {
  receiver = await startScriptedServer();
  receiver.respond = () => ({ status: 204 });
  withWebhook = {
    OPERATIONS_WEBHOOK_URL: `${receiver.url}/alerts`,
    OPERATIONS_WEBHOOK_SECRET: SECRET,
  };
});
afterEach(() => receiver.stop());

/** The posted alerts, after a check of their signatures. */
const postedAlerts = (): DetectedEvent[] =>
  receiver.received.map(
    ({ body, headers }) =>
      new Webhook(SECRET).verify(body, headers as Record<string, string>) as DetectedEvent,
  );
const kindOf = ({ type }: DetectedEvent): string => type.split('.')[3] ?? '';

it('a refused event is a dead letter after one attempt, is counted, raises an alert on the bus, and is published by a retry', async () => {
  gateway.reply = (count, fqcn) =>
    fqcn === CHANNEL && count === 1 ? refusal(422, 'BUS::MESSAGE_REJECTED', 'too old') : ACCEPT;
  const { url } = await start(withWebhook);
  const event = breach(1);
  await queue.enqueue([event]);
  await waitFor('the alert', () => sentAlerts().length === 1);
  expect(sentAlerts()[0]).toMatchObject({
    type: 'settlementbus.bridge.alert.raised.v1',
    participant: 'WPGENCO',
    data: {
      app: 'bus-publisher',
      reason: 'dead-letter',
      channel: CHANNEL,
      count: 1,
      detail: `${event.type} ${event.id}: BUS::MESSAGE_REJECTED: too old`,
    },
  });
  expect(receiver.received).toEqual([]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('settlement_bridge_faults_total{reason="dead-letter",participant="WPGENCO"} 1');
  expect(sentFacts()).toHaveLength(1);
  await waitFor('the metric', async () =>
    /^settlement_bridge_queue_dead_letters 1$/m.test(await (await fetch(`${url}/metrics`)).text()),
  );
  expect(await deadLetters.retry(event.id, { findProblem: () => undefined })).toEqual({ outcome: 'queued' });
  await waitFor('0 dead letters', async () => (await deadLetters.count()) === 0);
  expect(published()).toHaveLength(1);
});

it('a failed job becomes a dead letter with an alert of its participant', async () => {
  const event = breach(1);
  await queue.enqueue([event]);
  // As BullMQ leaves a job that ended as failed.
  await redis.lrem(`${prefix}:${EVENTS_QUEUE}:wait`, 1, event.id);
  await redis.zadd(`${prefix}:${EVENTS_QUEUE}:failed`, Date.now(), event.id);
  await start(withWebhook);
  await waitFor('the alert', () => sentAlerts().length === 1);
  expect(sentAlerts()[0]).toMatchObject({
    participant: 'WPGENCO',
    data: { reason: 'dead-letter', channel: CHANNEL, count: 1 },
  });
  await waitFor('the dead letter', async () => (await deadLetters.count()) === 1);
  expect(await deadLetters.list()).toMatchObject([{ event: { id: event.id } }]);
});

it('an alert that cannot be published is posted to the webhook, and raises no further alert', async () => {
  gateway.reply = () => refusal(404, 'BUS::CHANNEL_NOT_FOUND');
  await start(withWebhook);
  await queue.enqueue([breach(1)]);
  await waitFor('the alert at the webhook', () => receiver.received.length > 0);
  await waitFor('both dead letters', async () => (await deadLetters.count()) === 2);
  expect(postedAlerts()).toMatchObject([{ data: { reason: 'dead-letter', count: 1 } }]);
  expect(lines.filter(({ msg }) => msg === 'fault reported')).toHaveLength(1);
});

it('an alert without a route is posted to the webhook, and is not dead-lettered', async () => {
  gateway.reply = () => refusal(422, 'BUS::MESSAGE_REJECTED');
  const { url } = await start({ ...withWebhook, CONFIG_FILE: writeConfig({ operations: false }) });
  await queue.enqueue([breach(1)]);
  await waitFor('the alert at the webhook', () => receiver.received.length > 0);
  await waitFor('an empty queue', isQueueEmpty);
  expect(postedAlerts()).toMatchObject([{ data: { reason: 'dead-letter', count: 1 } }]);
  expect((await deadLetters.list()).map(({ event }) => event.id)).toEqual([breach(1).id]);
  const counted =
    'settlement_bridge_publisher_attempts_total{type="settlementbus.bridge.alert.raised.v1",outcome="dropped"} 1';
  expect(await (await fetch(`${url}/metrics`)).text()).toContain(counted);
  expect(lines.filter(({ msg }) => msg === 'operational alert not published')).toMatchObject([
    { reason: 'CONFIG_FILE has no route for settlementbus.bridge.alert.raised.v1', outcome: 'dropped' },
  ]);
});

it('an unavailable Redis is reported to the webhook, and so is its end', async () => {
  const { url } = await start({ ...withWebhook, QUEUE_UNAVAILABLE_AFTER_MS: '2000' });
  await server.kill();
  try {
    await waitFor('the alert', () => receiver.received.length === 1);
    const health = await (await fetch(`${url}/health`)).json();
    expect(health).toMatchObject({ status: 'error', faults: [{ reason: 'queue-unavailable' }] });
  } finally {
    await server.start();
  }
  await waitFor('the end', () => receiver.received.length === 2);
  const alerts = postedAlerts();
  expect(alerts.map(kindOf)).toEqual(['raised', 'cleared']);
  for (const { participant, data } of alerts)
    expect({ participant, data }).toMatchObject({
      participant: '*',
      data: { app: 'bus-publisher', reason: 'queue-unavailable', count: 1 },
    });
  await queue.enqueue([breach(1)]);
  await waitFor('the event', () => gateway.received.length === 1);
});

it.each([
  ['no secret', undefined, /OPERATIONS_WEBHOOK_SECRET is not set; it takes whsec_/],
  ['a wrong secret', 'hunter2', /OPERATIONS_WEBHOOK_SECRET is a value that is not shown here/],
])('does not start with OPERATIONS_WEBHOOK_URL and %s', (_, secret, message) => {
  const environment = {
    GATEWAY_USERNAME: 'a',
    GATEWAY_PASSWORD: 'b',
    ORIGIN_KEY_FILE: 'c',
    ORIGIN_KEY_SECRET_FILE: 'd',
    OPERATIONS_WEBHOOK_URL: 'https://example.org/alerts',
    OPERATIONS_WEBHOOK_SECRET: secret,
  };
  expect(() => readSettings(definition, environment)).toThrow(SettingsError);
  expect(() => readSettings(definition, environment)).toThrow(message);
});
