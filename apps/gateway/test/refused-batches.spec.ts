import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { request } from 'undici';
import { MAX_IN_FLIGHT_PER_CHANNEL } from '../src/messages/batch-scheduler.js';
import { waitFor } from '@ssb/testing';
import { call, type CallResponse } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A stub broker, because no real one does this: it accepts single messages, and `respondToBatch` decides about several. */
let server: Server;
let gateway: RunningGateway;
let respondToBatch: RequestListener;
let paths: string[];
let login: () => Promise<void>;
let respondToMessage: (response: ServerResponse) => Promise<void>;

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const accept = (response: ServerResponse) => json(response, 201, { id: `id-${paths.length}` });

beforeAll(async () => {
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    request.resume();
    if (request.url === '/auth/login') {
      const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };
      void login().then(() => json(response, 200, success));
    } else if (request.url === '/message') void respondToMessage(response);
    else respondToBatch(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  reset();
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway(`http://127.0.0.1:${port}`, { BROKER_TIMEOUT_MS: '10000' });
  await gateway.client.setIdentity(generatePrivateKey().toHex());
});

beforeEach(reset);

function reset(): void {
  paths = [];
  login = () => Promise.resolve();
  respondToBatch = (_request, response) => response.writeHead(404).end();
  respondToMessage = (response) => Promise.resolve(void accept(response));
}

afterAll(async () => {
  await gateway?.stop();
  server.closeAllConnections();
  server.close();
});

const send = (number: number): Promise<CallResponse> =>
  call(gateway, 'POST', '/api/v1/message', { fqcn: 'a', payload: String(number) });

async function countWaiting(): Promise<number> {
  const { body } = await request(`${gateway.managementUrl}/metrics`);
  return Number(/^settlement_bus_gateway_messages_waiting (\d+)$/m.exec(await body.text())?.[1]);
}

/** Fills the requests in flight, which the broker holds until `release`. Six more messages wait and form one batch. */
async function holdAndQueueSix(): Promise<{ release: () => void; held: Result[]; six: Result[] }> {
  paths = [];
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  respondToMessage = async (response) => {
    await gate;
    accept(response);
  };
  const held: Result[] = [];
  for (let number = 1; number <= MAX_IN_FLIGHT_PER_CHANNEL; number += 1) {
    held.push(send(number));
    await waitFor('it is in flight', () => paths.filter((path) => path === '/message').length === number);
  }
  const six = [1, 2, 3, 4, 5, 6].map((number) => send(MAX_IN_FLIGHT_PER_CHANNEL + number));
  await waitFor('six wait', async () => (await countWaiting()) === 6);
  return { release, held, six };
}

type Result = Promise<CallResponse>;

/** The responses to six messages of one batch. */
async function sendBatchOfSix(): Promise<CallResponse[]> {
  const { release, held, six } = await holdAndQueueSix();
  release();
  await Promise.all(held);
  return Promise.all(six);
}

const countBatches = () => paths.filter((path) => path === '/messages').length;

describe('a request with several messages', () => {
  it.each([400, 404, 405, 409, 413, 422])(
    'that is refused with %i is repeated with one message each',
    async (status) => {
      respondToBatch = (_request, response) => response.writeHead(status).end('<html>');
      const responses = await sendBatchOfSix();
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(new Set(responses.map(({ body }) => (body as { id: string }).id)).size).toBe(6);
      expect(countBatches()).toBe(1);
    },
  );

  it.each<[string, RequestListener]>([
    ['with an HTML page', (_request, response) => response.end('<html>')],
    ['with too few outcomes', (_request, response) => json(response, 200, [{ id: 'a' }])],
    ['with too many outcomes', (_request, response) => json(response, 200, Array(7).fill({ id: 'a' }))],
    ['with a redirect', (_request, response) => response.writeHead(302, { location: '/message' }).end()],
    ['with an error', (_request, response) => response.writeHead(503).end()],
    ['without an end', endless],
  ])('that is answered %s fails for each of them, and none is sent again', async (_name, behaviour) => {
    respondToBatch = behaviour;
    for (const { status, body } of await sendBatchOfSix()) {
      expect([status, body]).toMatchObject([502, { err: { code: 'BUS::REQUEST_FAILED' } }]);
    }
    expect(paths.filter((path) => path === '/message')).toHaveLength(MAX_IN_FLIGHT_PER_CHANNEL);
  });
});

describe('a message', () => {
  it('is answered when the gateway stops while it is in flight or waits', async () => {
    const { release, held, six } = await holdAndQueueSix();
    respondToBatch = (_request, response) =>
      json(
        response,
        200,
        six.map((_, index) => ({ id: `batch-${index}` })),
      );
    const restarted = gateway.restart();
    await waitFor('it accepts no new connection', () =>
      fetch(gateway.url, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    );
    release();
    const statuses = (await Promise.all([...held, ...six])).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));
    await restarted;
  });

  it('waits for its attempts and logins together no longer than the timeout of one request', async () => {
    const { port } = server.address() as AddressInfo;
    const impatientGateway = await startGateway(`http://127.0.0.1:${port}`, { BROKER_TIMEOUT_MS: '3000' });
    try {
      await impatientGateway.client.setIdentity(generatePrivateKey().toHex());
      const send = () => call(impatientGateway, 'POST', '/api/v1/message', { fqcn: 'a', payload: '1' });
      expect(await send()).toMatchObject({ status: 200 });
      const delay = () => new Promise<void>((resolve) => void setTimeout(resolve, 2_000));
      login = delay;
      respondToMessage = async (response) => {
        await delay();
        response.writeHead(401).end();
      };
      // With a timeout for each attempt the second login would have ended in 401.
      expect(await send()).toMatchObject({
        status: 502,
        body: {
          err: { reason: expect.stringMatching(/it waited too long|no response within 3000 ms/) },
        },
      });
    } finally {
      await impatientGateway.stop();
    }
  });
});

/** Sends more than any response has. */
function endless(_request: unknown, response: ServerResponse): void {
  const large = Buffer.alloc(1_048_576, 0x20);
  const more = (): void => {
    while (response.writable && response.write(large));
  };
  response
    .writeHead(200)
    .on('drain', more)
    .on('error', () => undefined);
  more();
}
