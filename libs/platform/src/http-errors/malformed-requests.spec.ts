import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createLogger } from '../logging/logger.js';
import { problemResponder } from './error-responses.js';
import { respondToMalformedRequests } from './malformed-requests.js';

const log = createLogger({ name: 'sample', level: 'silent', format: 'json' });
let release: () => void = () => undefined;
/** Emits `reading` for each body that is being read. */
const bodies = new EventEmitter();

function serverWith(options: object): FastifyAdapter {
  const adapter = new FastifyAdapter({ http: { requireHostHeader: false }, ...options });
  respondToMalformedRequests(adapter, problemResponder(log));
  const fastify = adapter.getInstance();
  fastify.all('/read', () => 'read');
  fastify.addContentTypeParser('text/x', (_request, payload, done) => done(null, payload));
  fastify.post('/body', async ({ body }) => {
    const end = text(body as Readable).catch((error: unknown) => error);
    bodies.emit('reading', { end });
    return end;
  });
  fastify.get('/slow', () => new Promise((resolve) => (release = () => resolve('slow'))));
  return adapter;
}

const server = serverWith({});
/** Waits only a short time for the end of a request. */
const impatient = serverWith({
  http: { connectionsCheckingInterval: 10, headersTimeout: 50 },
  requestTimeout: 50,
});

beforeAll(async () => {
  for (const each of [server, impatient]) await each.getInstance().listen({ port: 0, host: '127.0.0.1' });
});

afterAll(async () => {
  for (const each of [server, impatient]) await each.getInstance().close();
});

/** All responses to these bytes, until the server ends the connection. */
async function responsesTo(bytes: string, to = server): Promise<string> {
  const socket = connect((to.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  const responses = await text(socket);
  socket.destroy();
  return responses;
}

function expectProblem(response: string, status: number): void {
  const [head = '', body = ''] = response.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^content-type: application\/problem\+json/im);
  expect(head).toMatch(/^connection: close$/im);
  expect(JSON.parse(body)).toEqual({
    type: 'about:blank',
    title: expect.any(String),
    status,
    detail: expect.any(String),
  });
}

const HOST = 'host: x\r\n';
const GET = `GET /read HTTP/1.1\r\n${HOST}`;
const POST = `POST /read HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const LAST = 'connection: close\r\n';

describe('a malformed request', () => {
  it.each([
    ['that is not HTTP', 'GARBAGE\r\n\r\n', 400],
    ['with an unknown method', `FOO /read HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['with a length that is not a number', `${POST}content-length: abc\r\n\r\n`, 400],
    ['with two lengths', `${GET}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    ['with a length and chunks', `${GET}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
    ['with a malformed chunk', `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['with headers of more than 16 KiB', `${GET}x: ${'a'.repeat(16 * 1024)}\r\n\r\n`, 431],
    ['with an address of more than 16 KiB', `GET /${'a'.repeat(16 * 1024)} HTTP/1.1\r\n${HOST}\r\n`, 431],
    ['without a host', 'GET /read HTTP/1.1\r\n\r\n', 400],
    ['with two hosts', `${GET}Host: y\r\n\r\n`, 400],
    ['with two hosts at an unknown address', `GET /nothing HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
    ['with two hosts in HTTP/1.0', `GET /read HTTP/1.0\r\n${HOST}${HOST}\r\n`, 400],
  ])('%s gets problem+json, and the connection ends', async (_what, bytes, status) => {
    expectProblem(await responsesTo(bytes), status);
  });

  it.each([
    ['with headers', GET],
    ['with a body', `${POST}content-length: 9\r\n\r\n{`],
  ])('%s that never end gets a response in time', async (_what, bytes) => {
    expectProblem(await responsesTo(bytes, impatient), 408);
  });

  it('gets a response although its client continues to send and never ends its half of the connection', async () => {
    const http = server.getHttpServer();
    const socket = connect({ port: (http.address() as AddressInfo).port, allowHalfOpen: true });
    const isClosed = once(http, 'connection').then(([served]) => once(served as Socket, 'close'));
    socket.write('GARBAGE\r\n\r\n');
    socket.on('error', () => undefined);
    const sending = setInterval(() => socket.write('more'), 20);
    expectProblem(await text(socket), 400);
    await isClosed;
    clearInterval(sending);
    socket.destroy();
  });

  it.each([
    ['breaks off', (socket: Socket) => socket.destroy()],
    ['ends early', (socket: Socket) => socket.end()],
    ['is malformed', (socket: Socket) => socket.end('zz\r\n')],
  ])('whose body %s fails the reader of the body', async (_how, stop) => {
    const socket = connect((server.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const reading = once(bodies, 'reading');
    socket.write(
      `POST /body HTTP/1.1\r\n${HOST}content-type: text/x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n`,
    );
    const [read] = (await reading) as [{ end: Promise<unknown> }];
    stop(socket);
    expect(await read.end).toBeInstanceOf(Error);
  });

  it('waits for the responses to earlier requests of the connection', async () => {
    server.getHttpServer().once('clientError', () => release());
    const responses = await responsesTo(`GET /slow HTTP/1.1\r\n${HOST}\r\nGARBAGE\r\n\r\n`);
    expect(responses).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\nslowHTTP\/1.1 400 /);
  });

  it('gets no second response when the first did not wait for the body', async () => {
    const head = `POST /nothing HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n`;
    expect((await responsesTo(`${head}zz\r\n`)).match(/^HTTP\/1.1 .*|HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 404 Not Found',
    ]);
  });
});

it.each([
  ['has an unknown expectation', `${GET}${LAST}expect: a miracle\r\n\r\n`],
  ['is HTTP/1.0 without a host', 'GET /read HTTP/1.0\r\n\r\n'],
])('a request that %s is served', async (_what, bytes) => {
  expect(await responsesTo(bytes)).toMatch(/^HTTP\/1.1 200 /);
});
