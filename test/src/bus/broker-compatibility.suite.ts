import { type GatewayClient, GatewayStream, type Message } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import { bus } from './shared-bus.js';

/** A client library of this project at the gateway that was enrolled with curl. */
const FQCN = 'mixed.channels.messagebus.apps.bridge.iam.local';
const TOPICS = [{ namespace: 'figures', schema: '{"type":"object","required":["number"]}' }];

let client: GatewayClient;
let stream: GatewayStream;
const delivered: Message[] = [];

async function connect(): Promise<void> {
  client = bus.createClient('plain');
  const { did } = await client.enrolment();
  await bus.admin.ensureChannel({ fqcn: FQCN, topics: TOPICS, publishers: [did], subscribers: [did] });
  const { url, password } = bus.gateway('plain');
  stream = new GatewayStream({
    url,
    username: GATEWAY_USER,
    password,
    delivery: { mode: 'acknowledged', clientId: 'stream' },
    onMessages: (batch, acknowledge) => {
      delivered.push(...batch.filter(({ fqcn }) => fqcn === FQCN));
      acknowledge(batch.map(({ id }) => id));
    },
    onState: () => undefined,
    onFault: () => undefined,
  });
  stream.start();
}

describe('a client of this project at a broker for public gateways', () => {
  beforeAll(connect);

  afterAll(async () => {
    await stream?.stop();
    await client?.close();
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
});

function timesById(messages: readonly Message[]): Map<string, bigint> {
  return new Map(messages.map(({ id, timestampNanos }) => [id, timestampNanos]));
}
