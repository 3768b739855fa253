import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { request } from 'undici';
import { MAX_IN_FLIGHT_PER_CHANNEL } from '../src/messages/batch-scheduler.js';
import { waitFor } from '@ssb/testing';
import { call, type Answer } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** A broker by hand, for no broker does this: it takes every message that comes alone, and does `together` with several. */
let server: Server;
let gateway: RunningGateway;
let together: RequestListener;
let paths: string[];
let login: () => Promise<void>;
let alone: (response: ServerResponse) => Promise<void>;

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const taken = (response: ServerResponse) => json(response, 201, { id: `id-${paths.length}` });

beforeAll(async () => {
  server = createServer((request, response) => {
    paths.push(request.url ?? '');
    request.resume();
    if (request.url === '/auth/login') {
      const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };
      void login().then(() => json(response, 200, success));
    } else if (request.url === '/message') void alone(response);
    else together(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(async () => {
  paths = [];
  login = () => Promise.resolve();
  together = (_request, response) => response.writeHead(404).end();
  alone = (response) => Promise.resolve(void taken(response));
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway(`http://127.0.0.1:${port}`, { BROKER_TIMEOUT_MS: '10000' });
  await gateway.client.setIdentity(generatePrivateKey().toHex());
  paths = [];
});

afterEach(() => gateway?.stop());

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const send = (number: number): Promise<Answer> =>
  call(gateway, 'POST', '/api/v1/message', { fqcn: 'a', payload: String(number) });

async function waiting(): Promise<number> {
  const { body } = await request(`${gateway.url}/metrics`);
  return Number(/^gateway_messages_waiting (\d+)$/m.exec(await body.text())?.[1]);
}

/** As many as go at once are sent, and held until they are let go; six come meanwhile, and so will travel together. */
async function heldAndSixWaiting(): Promise<{ letGo: () => void; held: Told[]; six: Told[] }> {
  paths = [];
  let letGo = (): void => undefined;
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  alone = async (response) => {
    await gate;
    taken(response);
  };
  const held: Told[] = [];
  for (let number = 1; number <= MAX_IN_FLIGHT_PER_CHANNEL; number += 1) {
    held.push(send(number));
    await waitFor('it is under way', () => paths.filter((path) => path === '/message').length === number);
  }
  const six = [1, 2, 3, 4, 5, 6].map((number) => send(MAX_IN_FLIGHT_PER_CHANNEL + number));
  await waitFor('six wait', async () => (await waiting()) === 6);
  return { letGo, held, six };
}

type Told = Promise<Answer>;

/** What six are answered that travel together; `paths` has what was asked for it. */
async function sixTogether(): Promise<Answer[]> {
  const { letGo, held, six } = await heldAndSixWaiting();
  letGo();
  await Promise.all(held);
  return Promise.all(six);
}

const asked = () => paths.filter((path) => path === '/messages').length;

describe('a request with several messages', () => {
  it.each([400, 404, 405, 409, 413, 422])(
    'that is refused with %i says nothing of any of them',
    async (status) => {
      together = (_request, response) => response.writeHead(status).end('<html>');
      const answers = await sixTogether();
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => (body as { id: string }).id)).size).toBe(6);
      expect(asked()).toBe(1);
    },
  );

  it.each<[string, RequestListener]>([
    ['with a page', (_request, response) => response.end('<html>')],
    ['with too few outcomes', (_request, response) => json(response, 200, [{ id: 'a' }])],
    ['with too many outcomes', (_request, response) => json(response, 200, Array(7).fill({ id: 'a' }))],
    ['with another address', (_request, response) => response.writeHead(302, { location: '/message' }).end()],
    ['with a failure', (_request, response) => response.writeHead(503).end()],
    ['without an end', endless],
  ])('that is answered %s is told to each of them, and none is sent again', async (_name, behaviour) => {
    together = behaviour;
    for (const { status, body } of await sixTogether()) {
      expect([status, body]).toMatchObject([502, { err: { code: 'BUS::REQUEST_FAILED' } }]);
    }
    expect(paths.filter((path) => path === '/message')).toHaveLength(MAX_IN_FLIGHT_PER_CHANNEL);
  });
});

describe('a message', () => {
  it('is answered when the gateway stops while it is under way or waits', async () => {
    const { letGo, held, six } = await heldAndSixWaiting();
    together = (_request, response) =>
      json(
        response,
        200,
        six.map((_, place) => ({ id: `together-${place}` })),
      );
    const restarted = gateway.restart();
    await waitFor('it takes no new connection', () =>
      fetch(gateway.url, { headers: { connection: 'close' } }).then(
        () => false,
        () => true,
      ),
    );
    letGo();
    const statuses = (await Promise.all([...held, ...six])).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map(() => 200));
    await restarted;
  });

  it('waits for its tries and logins together no longer than for one answer', async () => {
    const { port } = server.address() as AddressInfo;
    const hurried = await startGateway(`http://127.0.0.1:${port}`, { BROKER_TIMEOUT_MS: '3000' });
    try {
      await hurried.client.setIdentity(generatePrivateKey().toHex());
      const sent = () => call(hurried, 'POST', '/api/v1/message', { fqcn: 'a', payload: '1' });
      expect(await sent()).toMatchObject({ status: 200 });
      const slowly = () => new Promise<void>((resolve) => void setTimeout(resolve, 2_000));
      login = slowly;
      alone = async (response) => {
        await slowly();
        response.writeHead(401).end();
      };
      // With a limit for each it would have been told, after a second login, that it is not taken either: 401.
      expect(await sent()).toMatchObject({
        status: 502,
        body: {
          err: { reason: expect.stringMatching(/waited too long to be sent|no answer within 3000 ms/) },
        },
      });
    } finally {
      await hurried.stop();
    }
  });
});

/** More than any outcomes take. */
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
