import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { call, type Answer } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/**
 * Document 002, "Errors", where something else stands in the broker's place, or a broker that is not well: whatever it does, the gateway
 * answers with its own error object, and in time. The server is by hand, for no broker does this.
 */
let server: Server;
let gateway: RunningGateway;
let answer: RequestListener;

beforeAll(async () => {
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  answer = () => undefined;
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

const loggedIn =
  (then: RequestListener): RequestListener =>
  (request, response) => {
    const success = { token: 't', did: 'did:ethr:0x', address: '0x', signature: '0x' };
    if (request.url === '/auth/login') json(response, 200, success);
    else then(request, response);
  };

/** More than any page of messages takes. */
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

const asked: readonly (readonly [string, () => Promise<Answer>, status: number, code: string])[] = [
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

describe.each<[string, RequestListener]>([
  ['never answers', () => undefined],
  ['never answers once it is logged in at', loggedIn(() => undefined)],
  ['hangs up', (request) => request.socket.destroy()],
  ['stops in the middle of an answer', loggedIn((_request, response) => response.writeHead(200).write('{'))],
  ['is a page', (_request, response) => response.end('<html>')],
  ['is a page once it is logged in at', loggedIn((_request, response) => response.end('<html>'))],
  ['fails with a page', (_request, response) => response.writeHead(500).end('<html>')],
  ['knows no address', loggedIn((_request, response) => response.writeHead(404).end())],
  ['answers something else', loggedIn((_request, response) => json(response, 200, { hello: 'world' }))],
  [
    'sends somewhere else',
    loggedIn((_request, response) => response.writeHead(302, { location: '/' }).end()),
  ],
  ['never stops answering', loggedIn(endless)],
])('a broker that %s', (_name, behaviour) => {
  it.each(asked)('%s', async (_operation, ask, status, code) => {
    answer = behaviour;
    const got = await ask();
    expect(got).toMatchObject({ status, body: { err: { code, reason: expect.stringMatching(/\w/) } } });
    expect(got.text).not.toContain('<html>');
  });
});

describe('what a broker answers', () => {
  it('is shown to the last digit of its nanoseconds', async () => {
    const message = { id: '1', fqcn: 'a', topic: 't', payload: 'p', signature: 's', sender: 'd' };
    // Neither is a number that a double can hold.
    const times = ['1763600702123456789', '9007199254740993'];
    answer = loggedIn((_request, response) =>
      json(
        response,
        200,
        times.map((timestampNanos) => ({ ...message, timestampNanos })),
      ),
    );
    const { port } = server.address() as AddressInfo;
    const patient = await startGateway(`http://127.0.0.1:${port}`);
    await patient.client.setIdentity(generatePrivateKey().toHex());
    const { text } = await call(patient, 'GET', '/api/v1/message?fqcn=a');
    await patient.stop();
    expect([...text.matchAll(/"timestampNanos":(\d+)[,}]/g)].map(([, digits]) => digits)).toEqual(times);
  });
});
