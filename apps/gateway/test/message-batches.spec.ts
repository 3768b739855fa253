import { basicAuthorization, type SendMessage } from '@ssb/bus';
import { Pool } from 'undici';
import { MAX_IN_FLIGHT_PER_CHANNEL } from '../src/messages/batch-scheduler.js';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';
import { watchBroker, type WatchedBroker } from './support/broker-proxy.js';

/** Real here: gateway, broker process, Redis; what passes between gateway and broker is watched on its way. */
let broker: RealBroker;
let watched: WatchedBroker;
let gateway: RunningGateway;
let pool: Pool;

beforeAll(async () => {
  broker = await startRealBroker();
  watched = await watchBroker(broker.url);
  gateway = await startGateway(watched.url, { BROKER_TIMEOUT_MS: '30000' });
  await gateway.enrolNew(broker);
  pool = new Pool(gateway.url, { connections: 200 });
});

afterAll(async () => {
  await pool?.destroy();
  await gateway?.stop();
  await watched?.stop();
  await broker?.stop();
});

afterEach(() => {
  watched.onItsWay = () => Promise.resolve('pass');
});

interface Told {
  readonly status: number;
  readonly id?: string;
  readonly err?: { readonly code: string; readonly reason: string };
}

/** One request, never repeated by itself. */
async function send(message: SendMessage): Promise<Told> {
  return sendBy(pool, message);
}

async function sendBy(through: Pool, message: SendMessage): Promise<Told> {
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

const numbered = (fqcn: string, total: number): SendMessage[] =>
  Array.from({ length: total }, (_, number) => ({
    fqcn,
    topic: 'free',
    payload: String(number),
    transactionId: `t-${number}`,
  }));

async function stored(fqcn: string): Promise<string[]> {
  const messages = await gateway.client.readMessages({
    fqcn,
    from: new Date(0).toISOString(),
    amount: 1_000,
  });
  return messages.map(({ payload }) => payload);
}

const sending = () => watched.requests.filter(({ path }) => path.startsWith('/message'));
const paths = () => sending().map(({ path }) => path);

/** How many messages wait, as the gateway's metrics tell it. */
async function waiting(): Promise<number> {
  const { body } = await pool.request({ method: 'GET', path: '/metrics' });
  return Number(/^gateway_messages_waiting (\d+)$/m.exec(await body.text())?.[1]);
}

/** Holds back what is sent until it is let go. */
function hold(): () => void {
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  watched.onItsWay = async ({ path }) => {
    if (path.startsWith('/message')) await gate;
    return 'pass';
  };
  return letGo;
}

describe('a message', () => {
  it('that is alone goes alone, as the contract of brokers has it', async () => {
    const fqcn = await broker.createChannel();
    watched.requests.length = 0;
    expect(await send({ fqcn, topic: 'free', payload: '"a"', transactionId: 't' })).toMatchObject({
      status: 200,
    });
    expect(sending().map(({ path, body }) => [path, body])).toEqual([
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

  it('among many gets its own answer, taken or refused, and is stored once', async () => {
    const fqcn = await broker.createChannel();
    const messages = numbered(fqcn, 200).map((message, number): SendMessage => {
      if (number % 10 === 3) return { ...message, topic: 'strict' };
      if (number % 10 === 7) return { ...message, fqcn: `x.${fqcn}` };
      return message;
    });
    watched.requests.length = 0;
    const told = await Promise.all(messages.map(send));
    expect(told.map(({ status, err }) => [status, err?.code])).toEqual(
      messages.map((_, number) => {
        if (number % 10 === 3) return [422, 'BUS::MESSAGE_REJECTED'];
        if (number % 10 === 7) return [404, 'BUS::CHANNEL_NOT_FOUND'];
        return [200, undefined];
      }),
    );
    expect(new Set(told.map(({ id }) => id)).size).toBe(161);
    expect((await stored(fqcn)).sort()).toEqual(
      messages
        .filter((each) => each.topic === 'free' && each.fqcn === fqcn)
        .map(({ payload }) => payload)
        .sort(),
    );
    expect(sending().length).toBeLessThan(200);
  });

  it('that is larger than any may be spoils no other', async () => {
    const fqcn = await broker.createChannel();
    const letGo = hold();
    watched.requests.length = 0;
    const first = numbered(fqcn, 2).map(send);
    await waitFor('they are under way', () => sending().length > 0);
    const huge = JSON.stringify('x'.repeat(9_000_000));
    const large = ['l-0', 'l-1', 'l-2']
      .map((transactionId) => ({ fqcn, topic: 'free', payload: huge, transactionId }))
      .map(send);
    const small = numbered(fqcn, 50).map(send);
    await waitFor('all wait or are under way', async () => {
      const carried = sending().flatMap(({ body }) => body).length;
      return carried + (await waiting()) === 55;
    });
    letGo();
    expect((await Promise.all(large)).map(({ status, err }) => [status, err?.code])).toEqual(
      large.map(() => [422, 'BUS::MESSAGE_REJECTED']),
    );
    expect(new Set((await Promise.all([...first, ...small])).map(({ status }) => status))).toEqual(
      new Set([200]),
    );
  });

  it('on a quiet channel goes at once, whatever waits on a busy one', async () => {
    const [busy, quiet] = [await broker.createChannel(), await broker.createChannel()];
    const letGo = hold();
    watched.requests.length = 0;
    const flood = numbered(busy, 150).map(send);
    const carried = () => sending().flatMap(({ body }) => body).length;
    await waitFor('the rest of the flood waits', async () => (await waiting()) === 150 - carried());
    const one = send({ fqcn: quiet, topic: 'free', payload: '"quiet"' });
    await waitFor('it goes', () => sending().some(({ body }) => JSON.stringify(body).includes(quiet)));
    expect(await waiting()).toBeGreaterThan(0);
    letGo();
    expect((await one).status).toBe(200);
    expect((await Promise.all(flood)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe('messages that are sent together', () => {
  it('are stored in the order of each sender that waits for its answers', async () => {
    const fqcn = await broker.createChannel();
    const senders = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const ofSender = (name: string): string[] =>
      Array.from({ length: 25 }, (_, number) => `${name}${number}`);
    watched.requests.length = 0;
    await Promise.all(
      senders.map(async (name) => {
        for (const payload of ofSender(name)) await send({ fqcn, topic: 'free', payload: `"${payload}"` });
      }),
    );
    expect(paths()).toContain('/messages');
    const all = (await stored(fqcn)).map((payload) => JSON.parse(payload) as string);
    for (const name of senders) expect(all.filter((each) => each.startsWith(name))).toEqual(ofSender(name));
  });

  it('are each told when the broker dies, and are one message each when they are sent again', async () => {
    const fqcn = await broker.createChannel();
    const messages = numbered(fqcn, 400);
    const first = messages.map(send);
    await Promise.race(first);
    await broker.kill();
    const told = await Promise.all(first);
    await broker.start();
    for (const { status, err } of told) {
      expect([status, err?.code]).toEqual(status === 200 ? [200, undefined] : [502, 'BUS::REQUEST_FAILED']);
    }
    const again = await Promise.all(messages.map(send));
    expect(again.map(({ status }) => status)).toEqual(messages.map(() => 200));
    for (const [place, { status, id }] of told.entries())
      if (status === 200) expect(again[place]?.id).toBe(id);
    expect((await stored(fqcn)).sort()).toEqual(messages.map(({ payload }) => payload).sort());
  });

  it('are each told that there is no answer, in time, when the broker gives none', async () => {
    const fqcn = await broker.createChannel();
    const hurried = await startGateway(watched.url, { BROKER_TIMEOUT_MS: '4000' });
    await hurried.enrolNew(broker);
    const through = new Pool(hurried.url, { connections: 200 });
    const letGo = hold();
    watched.requests.length = 0;
    try {
      const told = await Promise.all(numbered(fqcn, 150).map((message) => sendBy(through, message)));
      expect(new Set(told.map(({ status, err }) => `${status} ${err?.code} ${err?.reason}`))).toEqual(
        new Set([
          '502 BUS::REQUEST_FAILED The message broker cannot be reached: no answer within 4000 ms.',
          '502 BUS::REQUEST_FAILED The message broker cannot be reached: it waited too long to be sent.',
        ]),
      );
      // Those that had waited as long were too late for another request.
      expect(sending().length).toBeLessThanOrEqual(2 * MAX_IN_FLIGHT_PER_CHANNEL);
    } finally {
      letGo();
      await through.destroy();
      await hurried.stop();
    }
  });

  it('are sent again, once, with a new login, when the broker does not take the token', async () => {
    const fqcn = await broker.createChannel();
    let refusals = 0;
    watched.onItsWay = ({ path, headers }) => {
      if (path === '/messages' && refusals++ === 0) headers['authorization'] = 'Bearer a.b.c';
      return Promise.resolve('pass');
    };
    const told = await Promise.all(numbered(fqcn, 60).map(send));
    expect(refusals).toBeGreaterThan(1);
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stored(fqcn)).toHaveLength(60);
  });

  it('go one by one to a broker that takes no others', async () => {
    const fqcn = await broker.createChannel();
    watched.onItsWay = ({ path }) => Promise.resolve(path === '/messages' ? 'unknown' : 'pass');
    watched.requests.length = 0;
    const told = await Promise.all(numbered(fqcn, 100).map(send));
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200]));
    expect(paths().filter((path) => path === '/message')).toHaveLength(100);
    expect(await stored(fqcn)).toHaveLength(100);
  });
});
