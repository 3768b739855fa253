import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Message } from '@ssb/bus';
import { request } from 'undici';
import { call } from './support/http-call.js';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { FORWARD, startBrokerProxy, type ProxiedRequest, type BrokerProxy } from './support/broker-proxy.js';
import { AUTHORIZATION, HOST } from './support/raw-http.js';

/** Gateway, broker and Redis are real. A proxy between gateway and broker can fail. */
let broker: RealBroker;
let proxy: BrokerProxy;
let gateway: RunningGateway;
let fqcn: string;

beforeAll(async () => {
  broker = await startRealBroker();
  proxy = await startBrokerProxy(broker.url);
  gateway = await startGateway(proxy.url);
  await gateway.enrolNewIdentity(broker);
});

afterAll(async () => {
  await gateway?.stop();
  await proxy?.stop();
  await broker?.stop();
});

beforeEach(async () => {
  fqcn = await broker.createChannel();
});

afterEach(() => {
  proxy.intercept = FORWARD;
});

const path = (query = '') => `/api/v1/message?fqcn=${fqcn}${query}`;
const read = async (query = ''): Promise<string[]> =>
  ((await call(gateway, 'GET', path(query))).body as Message[]).map(({ payload }) => payload);

async function send(payloads: readonly string[]): Promise<void> {
  for (const payload of payloads) await gateway.client.sendMessage({ fqcn, topic: 'free', payload });
}

const isRead = ({ path }: ProxiedRequest) => path.startsWith('/message?');
const isAcknowledgement = ({ path }: ProxiedRequest) => path === '/message/acknowledgement';

/** Requests the channel's messages on a new connection. */
function requestMessages(): Socket {
  const socket = connect({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' });
  socket.on('error', () => undefined).write(`GET ${path()} HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`);
  return socket;
}

describe('GET message', () => {
  it('returns each message once to requests in quick succession', async () => {
    const sent = Array.from({ length: 12 }, (_, index) => String(index));
    await send(sent);
    const sequential: string[] = [];
    for (let index = 0; index < 6; index += 1) sequential.push(...(await read('&amount=1')));
    const parallel = await Promise.all(Array.from({ length: 6 }, () => read('&amount=1')));
    expect(sequential).toEqual(sent.slice(0, 6));
    expect(parallel.flat().sort()).toEqual(sent.slice(6).sort());
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the response of the broker is lost', async () => {
    await send(['1', '2']);
    let lost = 0;
    proxy.intercept = async (intercepted) => {
      if (!isRead(intercepted) || lost++ > 0) return 'forward';
      const { body } = await request(broker.url + intercepted.path, { headers: intercepted.headers });
      expect(await body.json()).toHaveLength(2);
      throw new Error('the response is lost');
    };
    expect(await call(gateway, 'GET', path())).toMatchObject({ status: 502 });
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the client disconnects before the response', async () => {
    await send(['1', '2']);
    proxy.intercept = async (intercepted) => {
      if (isRead(intercepted) && !client.destroyed) {
        client.resetAndDestroy();
        await once(client, 'close');
      }
      return 'forward';
    };
    const client = requestMessages();
    await once(client, 'close');
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
  });

  it('loses nothing when the client disconnects during the response', async () => {
    // More than the buffers of a connection whose client reads only the beginning.
    const sent = Array.from({ length: 8 }, (_, index) => JSON.stringify(`${index}`.repeat(1_000_000)));
    await send(sent);
    const client = requestMessages();
    await once(client, 'readable');
    client.resetAndDestroy();
    const received = await read();
    expect(received.map((payload) => payload[1])).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    expect(await read()).toEqual([]);
  });

  it('returns again what could not be acknowledged, and nothing a third time', async () => {
    await send(['1', '2']);
    let refused = 0;
    proxy.intercept = (intercepted) =>
      isAcknowledgement(intercepted) && refused++ === 0
        ? Promise.reject(new Error('away'))
        : Promise.resolve('forward');
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual(['1', '2']);
    expect(await read()).toEqual([]);
    expect(gateway.logged()).toContain('acknowledgement of read messages failed');
  });

  it('acknowledges while the gateway stops', async () => {
    await send(['1']);
    const { key } = await gateway.enrolNewIdentity(broker);
    let onAcknowledgement: () => void = () => undefined;
    const acknowledging = new Promise<void>((resolve) => (onAcknowledgement = resolve));
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    proxy.intercept = async (intercepted) => {
      if (!isAcknowledgement(intercepted)) return 'forward';
      onAcknowledgement();
      await gate;
      return 'forward';
    };
    expect(await read()).toEqual(['1']);
    await acknowledging;
    const restarted = gateway.restart();
    release();
    await restarted;
    proxy.intercept = FORWARD;
    await gateway.client.setIdentity(key.toHex());
    expect(await read()).toEqual([]);
  });

  it('reports in a header that the channel has more messages', async () => {
    await send(['1', '2']);
    const more = async (query: string) => (await call(gateway, 'GET', path(query))).headers['bus-more'];
    const from = '&from=2020-01-01T00:00:00Z';
    expect([await more(`${from}&amount=1`), await more(from)]).toEqual(['?1', undefined]);
    expect([await more('&amount=1'), await more('&amount=1')]).toEqual(['?1', undefined]);
  });

  it('logs nothing for a broker that moves the position itself and has no acknowledgements', async () => {
    await send(['1']);
    const before = gateway.logged().length;
    proxy.intercept = async (intercepted) => {
      if (!isRead(intercepted)) return isAcknowledgement(intercepted) ? 'not-found' : 'forward';
      const { body } = await request(`${broker.url}${intercepted.path.replace('&move=false', '')}`, {
        headers: intercepted.headers,
      });
      await body.dump();
      return 'forward';
    };
    expect(await read()).toEqual([]);
    proxy.intercept = FORWARD;
    expect(gateway.logged().slice(before)).not.toContain('acknowledgement of read messages failed');
  });
});
