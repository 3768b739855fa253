import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { AnswerFailure } from './answer-failure.js';
import { hostFault } from './host-fault.js';
import { ProblemException } from './problem.js';
import { WrittenReply } from './written-reply.js';

/** How long a client may go on sending after its last answer, milliseconds. */
const LINGER_MS = 1_000;

/**
 * Answers what is no readable HTTP request in the app's own form. One whose head was read is answered at its address: it names no host,
 * or its body is not what the head announced. One whose head cannot be read has no address. The connection ends, as nobody knows where its
 * next request begins. An expectation that we do not know is passed over, as RFC 9110 §10.1.1 allows.
 */
export function answerUnreadable(adapter: FastifyAdapter, answer: AnswerFailure): void {
  const server = adapter.getHttpServer<Server>();
  const latest = new WeakMap<Duplex, FastifyReply>();
  adapter.getInstance().addHook('onRequest', (request, reply, next) => {
    latest.set(request.raw.socket, reply);
    const fault = hostFault(request.raw);
    if (fault === undefined) next();
    else answer(problem(400, fault), reply.header('connection', 'close'));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // What comes after the last answer is not read.
    if (socket.writableEnded) return;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else inTurn(latest.get(socket), problemOf(error.code), socket, answer);
  });
}

/** HTTP/1.1 answers in the order of the requests (RFC 9112 §9.3.2): what came before on the connection gets its own answer first. */
function inTurn(
  before: FastifyReply | undefined,
  fault: ProblemException,
  socket: Duplex,
  answer: AnswerFailure,
): void {
  if (before === undefined) return endWith(fault, socket, answer);
  const bodyIsBroken = !before.request.raw.complete;
  if (bodyIsBroken && !before.sent) {
    // Node lets go of a request once it is answered: whoever reads its body would wait for ever.
    socket.once('close', () => before.request.raw.destroy(fault));
    return answer(fault, before.header('connection', 'close'));
  }
  // A request that was answered before its body was read is answered already.
  const end = (): void => (bodyIsBroken ? close(socket) : endWith(fault, socket, answer));
  if (before.raw.writableFinished) end();
  else before.raw.once('close', end);
}

function endWith(fault: ProblemException, socket: Duplex, answer: AnswerFailure): void {
  const reply = new WrittenReply();
  answer(fault, reply);
  close(socket, reply.text());
}

/**
 * Ends our half at once, and the whole a little later: a connection that is cut while bytes still come is reset, and its client may lose
 * the answer (RFC 9112 §9.6). One that never ends its own half would stay for ever.
 */
function close(socket: Duplex, last = ''): void {
  socket.end(last);
  const cut = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(cut));
}

function problemOf(code: string | undefined): ProblemException {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem(431, 'Address and headers may be 16 KiB together.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem(408, 'The request did not arrive in time.');
    default:
      return problem(400, 'This is no HTTP/1.1 request.');
  }
}

function problem(status: 400 | 408 | 431, detail: string): ProblemException {
  return new ProblemException(status, STATUS_CODES[status] ?? 'Bad Request', detail);
}
