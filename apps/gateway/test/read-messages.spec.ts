import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Message } from '@ssb/bus';
import { request } from 'undici';
import { call } from './support/http-call.js';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import {
  watchBroker,
  type OnItsWay,
  type PassedRequest,
  type WatchedBroker,
} from './support/broker-proxy.js';
import { answerTo, AUTHORIZATION, HOST, LAST } from './support/raw-http.js';

/** Real here: the gateway, the broker's process with its Redis, sockets that are cut. Between the two stands a proxy that can fail. */
let broker: RealBroker;
let watched: WatchedBroker;
let gateway: RunningGateway;
let fqcn: string;
let pass: OnItsWay;

beforeAll(async () => {
  broker = await startRealBroker();
  watched = await watchBroker(broker.url);
  pass = watched.onItsWay;
  gateway = await startGateway(watched.url);
  await gateway.enrolNew(broker);
});

afterAll(async () => {
  await gateway?.stop();
  await watched?.stop();
  await broker?.stop();
});

beforeEach(async () => {
  fqcn = await broker.createChannel();
});

afterEach(() => {
  watched.onItsWay = pass;
});

const path = (query = '') => `/api/v1/message?fqcn=${fqcn}${query}`;
const read = async (query = ''): Promise<string[]> =>
  ((await call(gateway, 'GET', path(query))).body as Message[]).map(({ payload }) => payload);

async function send(payloads: readonly string[]): Promise<void> {
  for (const payload of payloads) await gateway.client.sendMessage({ fqcn, topic: 'free', payload });
}

const isReading = ({ path: asked }: PassedRequest) => asked.startsWith('/message?');
const isAcknowledging = ({ path: asked }: PassedRequest) => asked === '/message/acknowledgement';

/** Asks for the channel's messages on a connection of its own. */
function ask(): Socket {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined).write(`GET ${path()} HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`);
  return socket;
}

describe('GET message', () => {
  it('gives each message once, however quickly it is asked again', async () => {
    const sent = Array.from({ length: 12 }, (_, index) => String(index));
    await send(sent);
    const got: string[] = [];
    for (let index = 0; index < 6; index += 1) got.push(...(await read('&amount=1')));
    const together = await Promise.all(Array.from({ length: 6 }, () => read('&amount=1')));
    expect(got).toEqual(sent.slice(0, 6));
    expect(together.flat().sort()).toEqual(sent.slice(6).sort());
    expect(await read()).toEqual([]);
  });

  it('gives each message once on one connection, asked again before the answer', async () => {
    await send(['1', '2']);
    const one = `GET ${path('&amount=1')} HTTP/1.1\r\n${HOST}${AUTHORIZATION}`;
    const { head, body } = await answerTo(gateway, `${one}\r\n${one}${LAST}\r\n`);
    expect((head + body).match(/"payload":"\d"/g)).toEqual(['"payload":"1"', '"payload":"2"']);
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the answer of the broker is lost', async () => {
    await send(['1', '2']);
    let lost = 0;
    watched.onItsWay = async (asked) => {
      if (!isReading(asked) || lost++ > 0) return 'pass';
      const { body } = await request(broker.url + asked.path, { headers: asked.headers });
      expect(await body.json()).toHaveLength(2);
      throw new Error('the answer is lost');
    };
    expect(await call(gateway, 'GET', path())).toMatchObject({ status: 502 });
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the client goes away before the answer', async () => {
    await send(['1', '2']);
    watched.onItsWay = async (asked) => {
      if (isReading(asked) && !impatient.destroyed) {
        impatient.resetAndDestroy();
        await once(impatient, 'close');
      }
      return 'pass';
    };
    const impatient = ask();
    await once(impatient, 'close');
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the client goes away in the midst of the answer', async () => {
    // More than the buffers of a connection hold whose client reads no more than the beginning.
    const sent = Array.from({ length: 8 }, (_, index) => JSON.stringify(`${index}`.repeat(1_000_000)));
    await send(sent);
    const impatient = ask();
    await once(impatient, 'readable');
    impatient.resetAndDestroy();
    const got = await read();
    expect(got.map((payload) => payload[1])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(await read()).toEqual([]);
  });

  it('gives again what could not be acknowledged, and nothing a third time', async () => {
    await send(['1', '2']);
    let refused = 0;
    watched.onItsWay = (asked) =>
      isAcknowledging(asked) && refused++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve('pass');
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
    expect(gateway.logged()).toContain('could not be acknowledged');
  });

  it('waits no longer than a bound for a client that does not take its answer', async () => {
    const hasty = await startGateway(watched.url, { BROKER_TIMEOUT_MS: '2000' });
    try {
      await hasty.enrolNew(broker);
      await send(['1']);
      let holds: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (holds = resolve));
      watched.onItsWay = async (asked) => {
        if (isAcknowledging(asked)) await held;
        return 'pass';
      };
      expect((await call(hasty, 'GET', path())).body).toHaveLength(1);
      expect((await call(hasty, 'GET', path())).body).toHaveLength(1);
      holds();
    } finally {
      await hasty.stop();
    }
  });

  it('acknowledges while the gateway stops', async () => {
    await send(['1']);
    const { key } = await gateway.enrolNew(broker);
    let asked: () => void = () => undefined;
    const acknowledging = new Promise<void>((resolve) => (asked = resolve));
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    watched.onItsWay = async (passed) => {
      if (!isAcknowledging(passed)) return 'pass';
      asked();
      await gate;
      return 'pass';
    };
    expect(await read()).toEqual(['1']);
    await acknowledging;
    const restarted = gateway.restart();
    go();
    await restarted;
    watched.onItsWay = pass;
    await gateway.client.setIdentity(key.toHex());
    expect(await read()).toEqual([]);
  });

  it('moves nothing and acknowledges nothing with from', async () => {
    await send(['1']);
    watched.requests.length = 0;
    const from = '&from=2020-01-01T00:00:00Z';
    expect([await read(from), await read(from)]).toEqual([['1'], ['1']]);
    expect(watched.requests.filter(isAcknowledging)).toEqual([]);
    expect(await read()).toEqual(['1']);
  });

  it('says where there is more than it answers', async () => {
    await send(['1', '2']);
    const more = async (query: string) => (await call(gateway, 'GET', path(query))).headers['bus-more'];
    expect([await more('&amount=1'), await more('&amount=1'), await more('')]).toEqual([
      '?1',
      undefined,
      undefined,
    ]);
    const from = '&from=2020-01-01T00:00:00Z';
    expect([await more(`${from}&amount=1`), await more(from)]).toEqual(['?1', undefined]);
  });

  it('says nothing of a broker that moves by itself and knows no acknowledgement', async () => {
    await send(['1']);
    const before = gateway.logged().length;
    watched.onItsWay = async (asked) => {
      if (!isReading(asked)) return isAcknowledging(asked) ? 'unknown' : 'pass';
      const { body } = await request(`${broker.url}${asked.path.replace('&move=false', '')}`, {
        headers: asked.headers,
      });
      await body.dump();
      return 'pass';
    };
    expect(await read()).toEqual([]);
    watched.onItsWay = pass;
    expect(gateway.logged().slice(before)).not.toContain('could not be acknowledged');
  });
});
