import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { ErrorResponder, HttpReply } from './error-responses.js';
import { ProblemException } from './problem-exception.js';

/** How long a client may continue to send after its last response, milliseconds. */
const LINGER_MS = 1_000;

/**
 * Responds to malformed HTTP requests in the app's own form, and then ends the connection. A request with a readable head gets its
 * response at its address; without one it has no address.
 */
export function respondToMalformedRequests(adapter: FastifyAdapter, respond: ErrorResponder): void {
  const server = adapter.getHttpServer<Server>();
  const lastReplies = new WeakMap<Duplex, FastifyReply>();
  adapter.getInstance().addHook('onRequest', (request, reply, next) => {
    lastReplies.set(request.raw.socket, reply);
    const problem = findHostProblem(request.raw);
    if (problem === undefined) next();
    else respond(createProblem(400, problem), reply.header('connection', 'close'));
  });
  // RFC 9110 §10.1.1 allows a server to ignore an expectation that it does not know.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // What comes after the last response is not read.
    if (socket.writableEnded) return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else respondInOrder(lastReplies.get(socket), toProblem(error.code), socket, respond);
  });
}

/** HTTP/1.1 responds in the order of the requests (RFC 9112 §9.3.2), so earlier requests of the connection come first. */
function respondInOrder(
  lastReply: FastifyReply | undefined,
  problem: ProblemException,
  socket: Duplex,
  respond: ErrorResponder,
): void {
  if (lastReply === undefined) return respondAndClose(problem, socket, respond);
  const isBodyBroken = !lastReply.request.raw.complete;
  if (isBodyBroken && !lastReply.sent) {
    // Node releases a request once it has a response: a reader of its body would otherwise wait indefinitely.
    socket.once('close', () => lastReply.request.raw.destroy(problem));
    return respond(problem, lastReply.header('connection', 'close'));
  }
  // A request may have its response before its body was read.
  const end = (): void => (isBodyBroken ? close(socket) : respondAndClose(problem, socket, respond));
  if (lastReply.raw.writableFinished) end();
  else lastReply.raw.once('close', end);
}

function respondAndClose(problem: ProblemException, socket: Duplex, respond: ErrorResponder): void {
  const reply = new RawReply();
  respond(problem, reply);
  close(socket, reply.serialize());
}

/**
 * Ends our half of the connection at once, and the whole a little later. A connection that is cut while bytes still come is reset, and
 * the client may lose the response (RFC 9112 §9.6).
 */
function close(socket: Duplex, lastBytes = ''): void {
  socket.end(lastBytes);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

/** What is wrong with the Host header (RFC 9112 §3.2); undefined when it is valid. HTTP/1.0 has no Host header. */
function findHostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let count = 0;
  // Names are at even indexes. `headers` would show the first Host only.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  if (count > 1) return 'There is more than one Host header.';
  return count === 0 && httpVersion === '1.1' ? 'A Host header is missing.' : undefined;
}

function toProblem(code: string | undefined): ProblemException {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return createProblem(431, 'Address and headers may be 16 KiB together.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return createProblem(408, 'The request did not arrive in time.');
    default:
      return createProblem(400, 'This is not an HTTP/1.1 request.');
  }
}

function createProblem(status: 400 | 408 | 431, detail: string): ProblemException {
  return new ProblemException(status, STATUS_CODES[status] ?? 'Bad Request', detail);
}

/** A response that is written to the socket itself, because there is no request to reply to. */
class RawReply implements HttpReply {
  private code = 500;
  private body = '';
  private readonly headers = new Map<string, string>();

  status(code: number): this {
    this.code = code;
    return this;
  }

  header(name: string, value: string): this {
    this.headers.set(name, value);
    return this;
  }

  /** Sends text as it is, and anything else as JSON. */
  send(body: unknown): this {
    if (typeof body === 'string') this.body = body;
    else {
      this.body = JSON.stringify(body);
      this.headers.set('content-type', 'application/json; charset=utf-8');
    }
    return this;
  }

  serialize(): string {
    const { code, body } = this;
    const headers = [
      ...this.headers,
      ['content-length', String(Buffer.byteLength(body))],
      ['connection', 'close'],
    ];
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n${body}`;
  }
}
