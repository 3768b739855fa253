import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { call, type CallResponse } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/**
 * Document 002, "Errors", with a faulty broker or another server in its place: the gateway answers in time with its own error object. The
 * broker is a stub, because no real one does this.
 */
let server: Server;
let gateway: RunningGateway;
let respond: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  respond = () => undefined;
  const { port } = server.address() as AddressInfo;
  gateway = await startGateway(`http://127.0.0.1:${port}`, { BROKER_TIMEOUT_MS: '200' });
  await gateway.client.setIdentity(generatePrivateKey().toHex());
});

beforeEach(() => server.closeAllConnections());

afterAll(async () => {
  await gateway?.stop();
  server.closeAllConnections();
  server.close();
});

const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const afterLogin =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };
    if (request.url === '/auth/login') json(response, 200, success);
    else listener(request, response);
  };

/** Sends more than any page of messages has. */
const LARGE = Buffer.alloc(1_048_576, 0x20);
const endless: RequestListener = (_request, response) => {
  const more = (): void => {
    while (response.writable && response.write(LARGE));
  };
  response
    .writeHead(200)
    .on('drain', more)
    .on('error', () => undefined);
  more();
};

const operations: readonly (readonly [string, () => Promise<CallResponse>, status: number, code: string])[] =
  [
    ['GET health', () => call(gateway, 'GET', '/api/health'), 502, 'BUS::REQUEST_FAILED'],
    [
      'POST message',
      () => call(gateway, 'POST', '/api/v1/message', { fqcn: 'a', payload: 'b' }),
      502,
      'BUS::REQUEST_FAILED',
    ],
    ['GET message', () => call(gateway, 'GET', '/api/v1/message?fqcn=a'), 502, 'BUS::REQUEST_FAILED'],
    ['GET channels', () => call(gateway, 'GET', '/api/v1/channels'), 502, 'BUS::REQUEST_FAILED'],
    ['POST enrol', () => call(gateway, 'POST', '/api/v1/config/enrol'), 500, 'ID::FETCH_CLAIMS_FAILED'],
  ];

it.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['answers the login alone', afterLogin(() => undefined)],
  ['closes the connection', (request) => request.socket.destroy()],
  ['stops during a response', afterLogin((_request, response) => response.writeHead(200).write('{'))],
  ['answers with HTML', (_request, response) => response.end('<html>')],
  ['answers with HTML after the login', afterLogin((_request, response) => response.end('<html>'))],
  ['fails with HTML', (_request, response) => response.writeHead(500).end('<html>')],
  ['answers everything with 404', afterLogin((_request, response) => response.writeHead(404).end())],
  ['answers with other JSON', afterLogin((_request, response) => json(response, 200, { hello: 'world' }))],
  ['redirects', afterLogin((_request, response) => response.writeHead(302, { location: '/' }).end())],
  ['never ends its response', afterLogin(endless)],
])('a broker that %s fails every operation with its own error', async (_name, behaviour) => {
  respond = behaviour;
  await Promise.all(
    operations.map(async ([operation, send, status, code]) => {
      const response = await send();
      const err = { code, reason: expect.stringMatching(/\w/) };
      expect([operation, response]).toMatchObject([operation, { status, body: { err } }]);
      expect(response.text).not.toContain('<html>');
    }),
  );
});

describe('a message of the broker', () => {
  it('keeps every digit of its nanoseconds', async () => {
    const message = { id: '1', fqcn: 'a', topic: 't', payload: 'p', signature: 's', sender: 'd' };
    // A double cannot represent either.
    const times = ['1763600702123456789', '9007199254740993'];
    respond = afterLogin((_request, response) =>
      json(
        response,
        200,
        times.map((timestampNanos) => ({ ...message, timestampNanos })),
      ),
    );
    const { port } = server.address() as AddressInfo;
    const secondGateway = await startGateway(`http://127.0.0.1:${port}`);
    await secondGateway.client.setIdentity(generatePrivateKey().toHex());
    const { text } = await call(secondGateway, 'GET', '/api/v1/message?fqcn=a');
    await secondGateway.stop();
    expect([...text.matchAll(/"timestampNanos":(\d+)[,}]/g)].map(([, digits]) => digits)).toEqual(times);
  });
});
