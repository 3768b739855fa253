import { type GatewayClient, GatewayStream, type Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import { RunningBus } from './harness/running-bus.js';

/** A gateway of this project at a broker that responds as public gateways expect. */
const FQCN = 'mixed.channels.messagebus.apps.bridge.iam.local';
const TOPICS = [{ namespace: 'figures', schema: '{"type":"object","required":["number"]}' }];

let bus: RunningBus;
let client: GatewayClient;
let stream: GatewayStream;
const delivered: Message[] = [];

beforeAll(async () => {
  bus = await RunningBus.start({ gateways: ['own'], brokerSettings: { BROKER_COMPATIBILITY: 'dsb' } });
  const { did } = bus.gateway('own');
  await bus.admin.ensureChannel({ fqcn: FQCN, topics: TOPICS, publishers: [did], subscribers: [did] });
  client = bus.createClient('own');
  const { url, password } = bus.gateway('own');
  stream = new GatewayStream({
    url,
    username: GATEWAY_USER,
    password,
    delivery: { mode: 'acknowledged', clientId: 'stream' },
    onMessages: (batch, acknowledge) => {
      delivered.push(...batch);
      acknowledge(batch.map(({ id }) => id));
    },
    onState: () => undefined,
    onFault: () => undefined,
  });
  stream.start();
});

afterAll(async () => {
  await stream?.stop();
  await client?.close();
  await bus?.stop();
});

it('publishes alone and in batches, and reads every digit of the time', async () => {
  const send = (number: number) =>
    client.sendMessage({ fqcn: FQCN, topic: 'figures', payload: JSON.stringify({ number }) });
  const first = await send(0);
  const others = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index + 1)));
  const read = await client.readMessages({ fqcn: FQCN, amount: 100 });
  expect(new Set(read.map(({ id }) => id))).toEqual(new Set([first, ...others].map(({ id }) => id)));
  await waitFor('the messages on the stream', () => delivered.length >= 21);
  // The stream has the time as text in both forms.
  expect(timesById(read)).toEqual(timesById(delivered));
});

it.each([
  [
    'a payload against the schema',
    { topic: 'figures', payload: '{}' },
    422,
    'BUS::MESSAGE_REJECTED',
    'the schema of topic figures',
  ],
  [
    'a topic that does not exist',
    { topic: 'x', payload: '{}' },
    404,
    'BUS::CHANNEL_NOT_FOUND',
    'has no topic x',
  ],
])('reports %s as document 002 has it', async (_, message, status, code, reason) => {
  const sent = client.sendMessage({ fqcn: FQCN, ...message });
  await expect(sent).rejects.toMatchObject({ status, code, reason: expect.stringContaining(reason) });
});

function timesById(messages: readonly Message[]): Map<string, bigint> {
  return new Map(messages.map(({ id, timestampNanos }) => [id, timestampNanos]));
}
