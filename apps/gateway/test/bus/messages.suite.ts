import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { basicAuthorization, type Message, type SendMessage } from '@ssb/bus';
import { Pool, request } from 'undici';
import { FORWARD, startBrokerProxy, type ProxiedRequest, type BrokerProxy } from '../support/broker-proxy.js';
import { call } from '../support/http-call.js';
import { AUTHORIZATION, HOST } from '../support/raw-http.js';
import { broker } from './shared-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from '../support/running-gateway.js';

/** Gateway, broker and Redis are real. A proxy between gateway and broker records requests, and can delay them or fail. */
describe('messages over HTTP', () => {
  let proxy: BrokerProxy;
  let gateway: RunningGateway;
  let fqcn: string;

  beforeAll(async () => {
    proxy = await startBrokerProxy(broker.url);
    gateway = await startGateway(proxy.url, { BROKER_TIMEOUT_MS: '30000' });
    await gateway.enrolNewIdentity(broker);
  });

  afterAll(async () => {
    await gateway?.stop();
    await proxy?.stop();
  });

  beforeEach(async () => {
    fqcn = await broker.createChannel();
  });

  afterEach(() => {
    proxy.intercept = FORWARD;
  });

  describe('POST message', () => {
    interface SendResult {
      readonly status: number;
      readonly id?: string;
      readonly err?: { readonly code: string };
    }

    let pool: Pool;

    beforeAll(() => {
      pool = new Pool(gateway.url, { connections: 100 });
    });

    afterAll(() => pool?.destroy());

    beforeEach(() => {
      proxy.requests.length = 0;
    });

    /** One request without retries. */
    async function send(message: SendMessage): Promise<SendResult> {
      const { statusCode, body } = await pool.request({
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

    const createMessages = (total: number): SendMessage[] =>
      Array.from({ length: total }, (_, number) => ({
        ...{ fqcn, topic: 'free', payload: String(number), transactionId: `t-${number}` },
      }));

    async function readStored(): Promise<string[]> {
      const from = new Date(0).toISOString();
      const messages = await gateway.client.readMessages({ fqcn, from, amount: 1_000 });
      return messages.map(({ payload }) => payload).sort();
    }

    const publishRequests = () => proxy.requests.filter(({ path }) => path.startsWith('/message'));

    it('posts a message that is alone by POST /message', async () => {
      const sent = await send({ fqcn, topic: 'free', payload: '"a"', transactionId: 't' });
      expect(sent.status).toBe(200);
      const signature = expect.stringMatching(/^0x[0-9a-f]{130}$/);
      expect(publishRequests().map(({ path, body }) => [path, body])).toEqual([
        ['/message', { fqcn, topic: 'free', payload: '"a"', signature, correlationId: 't' }],
      ]);
    });

    it('responds to each message of a batch by itself, accepted or refused, and stores it once', async () => {
      const messages = createMessages(40).map((message, number): SendMessage => {
        if (number % 10 === 3) return { ...message, topic: 'strict' };
        if (number % 10 === 7) return { ...message, fqcn: `x.${fqcn}` };
        return message;
      });
      const results = await Promise.all(messages.map(send));
      expect(results.map(({ status, err }) => [status, err?.code])).toEqual(
        messages.map((_, number) => {
          if (number % 10 === 3) return [422, 'BUS::MESSAGE_REJECTED'];
          if (number % 10 === 7) return [404, 'BUS::CHANNEL_NOT_FOUND'];
          return [200, undefined];
        }),
      );
      const accepted = messages.filter((each) => each.topic === 'free' && each.fqcn === fqcn);
      expect(new Set(results.flatMap(({ id }) => id ?? [])).size).toBe(accepted.length);
      expect(await readStored()).toEqual(accepted.map(({ payload }) => payload).sort());
      expect(publishRequests().length).toBeLessThan(messages.length);
    });

    it('responds to each with an error when the broker dies, and stores each once when it is sent again', async () => {
      const messages = createMessages(40);
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
      expect(await readStored()).toEqual(messages.map(({ payload }) => payload).sort());
    });
  });

  describe('GET message', () => {
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
          // The gateway notices the end of the connection before a later request.
          expect(await call(gateway, 'GET', '/api/v1/none')).toMatchObject({ status: 404 });
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

    it('logs nothing for a broker that moves the offset itself and has no acknowledgements', async () => {
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
});
