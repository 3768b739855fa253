import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { createLogger } from '../logging/logger.js';
import { problemAnswers } from './problem-answers.js';
import { answerUnreadable } from './unreadable-request.js';

const log = createLogger({ name: 'sample', level: 'silent', format: 'json' });
let release: () => void = () => undefined;
/** Tells of each body that is being read. */
const readers = new EventEmitter();

function serverWith(options: object): FastifyAdapter {
  const adapter = new FastifyAdapter({ http: { requireHostHeader: false }, ...options });
  answerUnreadable(adapter, problemAnswers(log));
  const fastify = adapter.getInstance();
  fastify.all('/read', () => 'read');
  fastify.addContentTypeParser('text/x', (_request, payload, done) => done(null, payload));
  fastify.post('/body', async ({ body }) => {
    const end = text(body as Readable).catch((error: unknown) => error);
    readers.emit('begun', { end });
    return end;
  });
  fastify.get('/slow', () => new Promise((resolve) => (release = () => resolve('slow'))));
  return adapter;
}

const server = serverWith({});
/** Has no time for whoever does not come to an end. */
const hurried = serverWith({
  http: { connectionsCheckingInterval: 10, headersTimeout: 50 },
  requestTimeout: 50,
});

beforeAll(async () => {
  for (const each of [server, hurried]) await each.getInstance().listen({ port: 0, host: '127.0.0.1' });
});

afterAll(async () => {
  for (const each of [server, hurried]) await each.getInstance().close();
});

/** All that is answered to these bytes, until the server ends the connection. */
async function answersTo(bytes: string, asked = server): Promise<string> {
  const socket = connect((asked.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes);
  const answers = await text(socket);
  socket.destroy();
  return answers;
}

function expectProblem(answer: string, status: number): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
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

describe('what is no readable request', () => {
  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a method that HTTP does not have', `FOO /read HTTP/1.1\r\n${HOST}\r\n`, 400],
    ['a length that is none', `${POST}content-length: abc\r\n\r\n`, 400],
    ['two lengths', `${GET}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 400],
    ['a length and chunks', `${GET}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
    ['a chunk that is none', `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`, 400],
    ['headers of more than 16 KiB', `${GET}x: ${'a'.repeat(16 * 1024)}\r\n\r\n`, 431],
    ['an address of more than 16 KiB', `GET /${'a'.repeat(16 * 1024)} HTTP/1.1\r\n${HOST}\r\n`, 431],
    ['no host', 'GET /read HTTP/1.1\r\n\r\n', 400],
    ['two hosts', `${GET}Host: y\r\n\r\n`, 400],
    ['two hosts at an address that is not there', `GET /nothing HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400],
    ['two hosts in HTTP/1.0', `GET /read HTTP/1.0\r\n${HOST}${HOST}\r\n`, 400],
  ])('%s is answered with problem+json, and the connection ends', async (_what, bytes, status) => {
    expectProblem(await answersTo(bytes), status);
  });

  it.each([
    ['headers', GET],
    ['a body', `${POST}content-length: 9\r\n\r\n{`],
  ])('%s without end are answered in time', async (_what, bytes) => {
    expectProblem(await answersTo(bytes, hurried), 408);
  });

  it('is answered, although its client goes on sending and never ends its half of the connection', async () => {
    const http = server.getHttpServer();
    const socket = connect({ port: (http.address() as AddressInfo).port, allowHalfOpen: true });
    const cut = once(http, 'connection').then(([served]) => once(served as Socket, 'close'));
    socket.write('GARBAGE\r\n\r\n');
    socket.on('error', () => undefined);
    const pushing = setInterval(() => socket.write('more'), 20);
    expectProblem(await text(socket), 400);
    await cut;
    clearInterval(pushing);
    socket.destroy();
  });

  it.each([
    ['breaks off', (socket: Socket) => socket.destroy()],
    ['ends early', (socket: Socket) => socket.end()],
    ['is none', (socket: Socket) => socket.end('zz\r\n')],
  ])('lets nobody wait for a body that %s', async (_how, stop) => {
    const socket = connect((server.getHttpServer().address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    const begun = once(readers, 'begun');
    socket.write(
      `POST /body HTTP/1.1\r\n${HOST}content-type: text/x\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n`,
    );
    const [read] = (await begun) as [{ end: Promise<unknown> }];
    stop(socket);
    expect(await read.end).toBeInstanceOf(Error);
  });

  it('waits for the answers to what came before it on the connection', async () => {
    server.getHttpServer().once('clientError', () => release());
    const answers = await answersTo(`GET /slow HTTP/1.1\r\n${HOST}\r\nGARBAGE\r\n\r\n`);
    expect(answers).toMatch(/^HTTP\/1.1 200 [^]*\r\n\r\nslowHTTP\/1.1 400 /);
  });

  it('is not answered twice where the answer did not wait for the body', async () => {
    const head = `POST /nothing HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n`;
    expect((await answersTo(`${head}zz\r\n`)).match(/^HTTP\/1.1 .*|HTTP\/1.1 \d+/g)).toEqual([
      'HTTP/1.1 404 Not Found',
    ]);
  });
});

it.each([
  ['has an expectation that nobody knows', `${GET}${LAST}expect: a miracle\r\n\r\n`],
  ['is HTTP/1.0, which knows no host', 'GET /read HTTP/1.0\r\n\r\n'],
])('a request that %s is served', async (_what, bytes) => {
  expect(await answersTo(bytes)).toMatch(/^HTTP\/1.1 200 /);
});
