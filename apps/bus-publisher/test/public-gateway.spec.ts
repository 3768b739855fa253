import { validateEvent } from '@ssb/events';
import { type PublicGateway, type PublicGatewayOptions, startPublicGateway, waitFor } from '@ssb/testing';
import {
  breach,
  CHANNEL,
  deadLetters,
  isQueueEmpty,
  lines,
  OPERATIONS_CHANNEL,
  published,
  queue,
  setUpPublisherTests,
  start,
  type Line,
} from './support/running-publisher.js';

setUpPublisherTests();

const TOPIC = 'margin.breached.v1';
/** Topics of the configured routes and of the heartbeats, by channel. */
const TOPICS = [
  TOPIC,
  'margin.warning.v1',
  'margin.restored.v1',
  'margin.breach-forecast.v1',
  'margin.forecast-cleared.v1',
  'bridge.heartbeat.v1',
];
const OPERATIONS_TOPICS = ['bridge.alert.raised.v1', 'bridge.alert.cleared.v1', 'bridge.heartbeat.v1'];
let running: PublicGateway | undefined;
afterEach(() => running?.stop());

/** The gateway with the channel of the operational alerts, and that of the facts with these topics. */
async function startGateway(
  topics: readonly string[],
  options?: PublicGatewayOptions,
): Promise<PublicGateway> {
  const gateway = await startPublicGateway(options);
  running = gateway;
  gateway.addChannel(OPERATIONS_CHANNEL, OPERATIONS_TOPICS);
  gateway.addChannel(CHANNEL, topics);
  return gateway;
}

const isReady = async (url: string): Promise<boolean> => (await fetch(`${url}/health/ready`)).ok;
const faults = async (url: string): Promise<Record<string, unknown>[]> =>
  ((await (await fetch(`${url}/health`)).json()) as { faults: Record<string, unknown>[] }).faults;
const failures = (): Line[] => lines.filter(({ msg }) => msg === 'event publication failed');

it('waits while the gateway is not enrolled, then publishes, and sends nothing that the gateway does not know', async () => {
  const gateway = await startGateway(TOPICS);
  const { did, url, requests } = gateway;
  gateway.roleState = 'AWAITING_APPROVAL';
  const app = await start({ GATEWAY_URL: url });
  const event = breach(1);
  await queue.enqueue([event]);
  await waitFor('the fault', async () => (await faults(app.url)).length > 0);
  expect(await faults(app.url)).toMatchObject([
    {
      reason: 'gateway-not-enrolled',
      detail: expect.stringContaining('its user role is AWAITING_APPROVAL'),
    },
  ]);
  await waitFor('the failed attempt', () => failures().length > 0);
  gateway.roleState = 'APPROVED';
  await waitFor('1 published messages', () => published().length === 1);
  await waitFor('readiness', () => isReady(app.url));
  expect(await deadLetters.count()).toBe(0);
  expect(published()).toMatchObject([{ eventId: event.id, messageId: 'msg-#1' }]);
  const [message] = gateway.messages(CHANNEL);
  expect(message).toMatchObject({ id: '1', topic: TOPIC, sender: did });
  expect(validateEvent(JSON.parse(message?.payload ?? '')).ok).toBe(true);
  const seen = requests.map(({ method, path, query, status }) => `${method} ${path}${query} ${status}`);
  expect([...new Set(seen)].sort()).toEqual([
    'GET /api/health 200',
    'GET /api/v1/channels 200',
    'GET /api/v1/channels 403',
    'GET /api/v1/config/enrol 200',
    'POST /api/v1/message 200',
    'POST /api/v1/message 403',
  ]);
  expect(await faults(app.url)).toEqual([]);
});

it('makes the event of a missing topic a dead letter after one attempt, and reports the topic', async () => {
  const { url, requests } = await startGateway(['bridge.heartbeat.v1']);
  const app = await start({ GATEWAY_URL: url });
  await queue.enqueue([breach(1)]);
  await waitFor('1 dead letters', async () => (await deadLetters.count()) === 1);
  const [letter] = await deadLetters.list();
  expect(letter?.reason).toContain(`DSB::CHANNEL_NOT_FOUND: topic ${TOPIC} not found; Not Found`);
  expect(requests.filter(({ status }) => status === 404)).toHaveLength(1);
  await waitFor('the fault', async () =>
    (await faults(app.url)).some(({ reason }) => reason === 'channel-not-permitted'),
  );
  expect(await faults(app.url)).toContainEqual(
    expect.objectContaining({
      reason: 'channel-not-permitted',
      channel: CHANNEL,
      detail: expect.stringContaining('has no topic margin'),
    }),
  );
});

it('counts a repeated transaction id, which the gateway refuses, as published', async () => {
  const gateway = await startGateway(TOPICS, { duplicates: 'refused' });
  const app = await start({ GATEWAY_URL: gateway.url, GATEWAY_TIMEOUT_MS: '500' });
  await waitFor('readiness', () => isReady(app.url));
  gateway.setResponding(false);
  await queue.enqueue([breach(1)]);
  await waitFor('the lost response', () => failures().length === 1);
  gateway.setResponding(true);
  await waitFor('an empty queue', isQueueEmpty);
  expect(published()).toHaveLength(1);
  expect(gateway.messages(CHANNEL)).toHaveLength(1);
  expect(await deadLetters.count()).toBe(0);
});

it('reports a wrong password, which the gateway refuses without a body', async () => {
  const { url } = await startGateway(TOPICS);
  const app = await start({ GATEWAY_URL: url, GATEWAY_PASSWORD: 'another' });
  await waitFor('the fault', async () => (await faults(app.url)).length > 0);
  expect(await faults(app.url)).toMatchObject([
    { reason: 'gateway-credentials-refused', detail: 'The gateway refuses the user or password (401).' },
  ]);
});
