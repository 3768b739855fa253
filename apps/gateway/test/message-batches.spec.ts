import { basicAuthorization, type SendMessage } from '@ssb/bus';
import { Pool } from 'undici';
import { MAX_IN_FLIGHT_PER_CHANNEL } from '../src/messages/batch-scheduler.js';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';
import { FORWARD, startBrokerProxy, type BrokerProxy } from './support/broker-proxy.js';

/** Gateway, broker and Redis are real. A proxy records and delays the requests to the broker. */
let broker: RealBroker;
let proxy: BrokerProxy;
let gateway: RunningGateway;
let pool: Pool;

beforeAll(async () => {
  broker = await startRealBroker();
  proxy = await startBrokerProxy(broker.url);
  gateway = await startGateway(proxy.url, { BROKER_TIMEOUT_MS: '30000' });
  await gateway.enrolNewIdentity(broker);
  pool = new Pool(gateway.url, { connections: 200 });
});

afterAll(async () => {
  await pool?.destroy();
  await gateway?.stop();
  await proxy?.stop();
  await broker?.stop();
});

afterEach(() => {
  proxy.intercept = FORWARD;
});

interface SendResult {
  readonly status: number;
  readonly id?: string;
  readonly err?: { readonly code: string; readonly reason: string };
}

/** One request without retries. */
async function send(message: SendMessage): Promise<SendResult> {
  return sendThrough(pool, message);
}

async function sendThrough(through: Pool, message: SendMessage): Promise<SendResult> {
  const { statusCode, body } = await through.request({
    method: 'POST',
    path: '/api/v1/message',
    headers: {
      authorization: basicAuthorization(USERNAME, PASSWORD),
      'content-type': 'application/json',
    },
    body: JSON.stringify(message),
  });
  return { status: statusCode, ...((await body.json()) as object) };
}

const createMessages = (fqcn: string, total: number): SendMessage[] =>
  Array.from({ length: total }, (_, number) => ({
    fqcn,
    topic: 'free',
    payload: String(number),
    transactionId: `t-${number}`,
  }));

async function readStored(fqcn: string): Promise<string[]> {
  const messages = await gateway.client.readMessages({
    fqcn,
    from: new Date(0).toISOString(),
    amount: 1_000,
  });
  return messages.map(({ payload }) => payload);
}

const publishRequests = () => proxy.requests.filter(({ path }) => path.startsWith('/message'));
const publishPaths = () => publishRequests().map(({ path }) => path);

/** Delays the requests that publish messages. @returns releases them */
function holdRequests(): () => void {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  proxy.intercept = async ({ path }) => {
    if (path.startsWith('/message')) await gate;
    return 'forward';
  };
  return release;
}

describe('a message', () => {
  it('that is alone is sent by POST /message', async () => {
    const fqcn = await broker.createChannel();
    proxy.requests.length = 0;
    expect(await send({ fqcn, topic: 'free', payload: '"a"', transactionId: 't' })).toMatchObject({
      status: 200,
    });
    expect(publishRequests().map(({ path, body }) => [path, body])).toEqual([
      [
        '/message',
        {
          fqcn,
          topic: 'free',
          payload: '"a"',
          signature: expect.stringMatching(/^0x[0-9a-f]{130}$/),
          correlationId: 't',
        },
      ],
    ]);
  });

  it('in a batch gets its own response, accepted or refused, and is stored once', async () => {
    const fqcn = await broker.createChannel();
    const messages = createMessages(fqcn, 200).map((message, number): SendMessage => {
      if (number % 10 === 3) return { ...message, topic: 'strict' };
      if (number % 10 === 7) return { ...message, fqcn: `x.${fqcn}` };
      return message;
    });
    proxy.requests.length = 0;
    const results = await Promise.all(messages.map(send));
    expect(results.map(({ status, err }) => [status, err?.code])).toEqual(
      messages.map((_, number) => {
        if (number % 10 === 3) return [422, 'BUS::MESSAGE_REJECTED'];
        if (number % 10 === 7) return [404, 'BUS::CHANNEL_NOT_FOUND'];
        return [200, undefined];
      }),
    );
    expect(new Set(results.map(({ id }) => id)).size).toBe(161);
    expect((await readStored(fqcn)).sort()).toEqual(
      messages
        .filter((each) => each.topic === 'free' && each.fqcn === fqcn)
        .map(({ payload }) => payload)
        .sort(),
    );
    expect(publishRequests().length).toBeLessThan(200);
  });
});

describe('messages of a batch', () => {
  it('each get an error when the broker dies, and are stored once when they are sent again', async () => {
    const fqcn = await broker.createChannel();
    const messages = createMessages(fqcn, 400);
    const first = messages.map(send);
    await Promise.race(first);
    await broker.kill();
    const results = await Promise.all(first);
    await broker.start();
    for (const { status, err } of results) {
      expect([status, err?.code]).toEqual(status === 200 ? [200, undefined] : [502, 'BUS::REQUEST_FAILED']);
    }
    const again = await Promise.all(messages.map(send));
    expect(again.map(({ status }) => status)).toEqual(messages.map(() => 200));
    for (const [index, { status, id }] of results.entries())
      if (status === 200) expect(again[index]?.id).toBe(id);
    expect((await readStored(fqcn)).sort()).toEqual(messages.map(({ payload }) => payload).sort());
  });

  it('each get an error in time when the broker does not respond', async () => {
    const fqcn = await broker.createChannel();
    const impatientGateway = await startGateway(proxy.url, { BROKER_TIMEOUT_MS: '4000' });
    await impatientGateway.enrolNewIdentity(broker);
    const through = new Pool(impatientGateway.url, { connections: 200 });
    const release = holdRequests();
    proxy.requests.length = 0;
    try {
      const results = await Promise.all(
        createMessages(fqcn, 150).map((message) => sendThrough(through, message)),
      );
      expect(new Set(results.map(({ status, err }) => `${status} ${err?.code} ${err?.reason}`))).toEqual(
        new Set([
          '502 BUS::REQUEST_FAILED The message broker cannot be reached: no response within 4000 ms.',
          '502 BUS::REQUEST_FAILED The request was not sent to the message broker: it waited too long.',
        ]),
      );
      // Messages that waited too long are not sent.
      expect(publishRequests().length).toBeLessThanOrEqual(2 * MAX_IN_FLIGHT_PER_CHANNEL);
    } finally {
      release();
      await through.destroy();
      await impatientGateway.stop();
    }
  });

  it('are sent one by one to a broker without POST /messages', async () => {
    const fqcn = await broker.createChannel();
    proxy.intercept = ({ path }) => Promise.resolve(path === '/messages' ? 'not-found' : 'forward');
    proxy.requests.length = 0;
    const results = await Promise.all(createMessages(fqcn, 100).map(send));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
    expect(publishPaths().filter((path) => path === '/message')).toHaveLength(100);
    expect(await readStored(fqcn)).toHaveLength(100);
  });
});
