import { startOtlpCollector, startTestRedis, type OtlpCollector, type TestRedis } from '@ssb/testing';
import { startTracing, type Tracing } from '@ssb/platform';
import { Actor } from './support/actor.js';
import { Client, makeChannel, user } from './support/client.js';
import { startBroker, type TestBroker } from './support/test-broker.js';
import { TestStream } from './support/test-stream.js';

/** A broker with tracing passes the W3C trace context of each message to the stream, and to nothing else. */
const [TRACE, OTHER_TRACE] = ['0af7651916cd43dd8448eb211c80319c', '1af7651916cd43dd8448eb211c80319c'];
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;
const OTHER = `00-${OTHER_TRACE}-b7ad6b7169203331-01`;

let redis: TestRedis;
let broker: TestBroker;
let collector: OtlpCollector;
let tracing: Tracing;

beforeAll(async () => {
  collector = await startOtlpCollector();
  tracing = await startTracing(collector.tracing);
  redis = await startTestRedis();
  broker = await startBroker(redis.url);
});

afterAll(async () => {
  await broker.close();
  await redis.stop();
  await tracing.stop(1_000);
  await collector.stop();
});

/** The trace ids of a channel's messages on the stream. */
async function readTraces(client: Client, fqcn: string, count: number): Promise<unknown[]> {
  const stream = await TestStream.open(client.url, client.token);
  try {
    await stream.subscribe([fqcn]);
    await stream.received(Array.from({ length: count }, () => ''));
    const contexts = stream
      .of('messages')
      .flatMap(({ messages }) => messages.map((each) => each.traceparent));
    return contexts.map((context) => context?.split('-')[1]);
  } finally {
    await stream.close();
  }
}

const sign = ({ actor }: Client, fqcn: string, more: object = {}) => ({
  fqcn,
  payload: '1',
  signature: actor.sign('1'),
  ...more,
});

it('each message has its own on the stream, by its header or in its batch, and none over HTTP', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  const { status } = await client.call('POST', '/message', sign(client, fqcn), { traceparent: TRACEPARENT });
  expect(status).toBe(201);
  const batch = [{}, { traceparent: OTHER }].map((more) => sign(client, fqcn, more));
  expect((await client.call('POST', '/messages', batch)).status).toBe(200);
  const [first, own, last] = await readTraces(client, fqcn, 3);
  expect([first, last]).toEqual([TRACE, OTHER_TRACE]);
  expect([TRACE, OTHER_TRACE, undefined]).not.toContain(own);
  const { body } = await client.read(fqcn, { from: '2026-01-01T00:00:00Z' });
  expect(body.filter((message) => 'traceparent' in message)).toEqual([]);
});

it('an invalid one is ignored, and the message is accepted', async () => {
  const client = await user(broker.url, new Actor());
  const fqcn = await makeChannel(broker.url);
  const post = (more: object, headers?: Readonly<Record<string, string>>) =>
    client.call('POST', '/message', sign(client, fqcn, more), headers);
  const forged = [
    'forged',
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `${TRACEPARENT}-${'x'.repeat(4_000)}`,
  ];
  for (const traceparent of forged) expect((await post({}, { traceparent })).status).toBe(201);
  // In the body of a single message the field has no meaning.
  expect((await post({ traceparent: TRACEPARENT })).status).toBe(201);
  const batch = [{ traceparent: { a: 1 } }, { traceparent: 'x'.repeat(4_000) }];
  const { body } = await client.call<object[]>(
    'POST',
    '/messages',
    batch.map((more) => sign(client, fqcn, more)),
  );
  expect(body).toEqual([{ id: expect.any(String) }, { id: expect.any(String) }]);
  const own = await readTraces(client, fqcn, 6);
  expect(own).toHaveLength(6);
  for (const trace of own) expect([TRACE, '0'.repeat(32), undefined]).not.toContain(trace);
});
