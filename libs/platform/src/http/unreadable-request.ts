import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What is no readable HTTP request, and so reaches no route: the status that RFC 9110 and RFC 6585 give it, and a sentence on it. */
export interface UnreadableRequest {
  readonly status: 400 | 408 | 431;
  readonly title: string;
  readonly detail: string;
}

/** A body in the app's own form of errors. */
export interface WrittenBody {
  readonly type: string;
  readonly text: string;
}

/**
 * Answers what is no readable HTTP request in the app's own form; the connection ends, for nobody knows where its next request begins.
 * An expectation that we do not know is passed over, as RFC 9110 §10.1.1 allows.
 */
export function refuseUnreadable(server: Server, write: (request: UnreadableRequest) => WrittenBody): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const request = requestOf(error.code);
    const { type, text } = write(request);
    socket.end(
      `HTTP/1.1 ${request.status} ${request.title}\r\ncontent-type: ${type}\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
    );
  });
}

function requestOf(code: string | undefined): UnreadableRequest {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return unreadable(431, 'Address and headers may be 16 KiB together.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return unreadable(408, 'The request did not arrive in time.');
    default:
      return unreadable(400, 'This is no HTTP/1.1 request.');
  }
}

function unreadable(status: UnreadableRequest['status'], detail: string): UnreadableRequest {
  return { status, title: STATUS_CODES[status] ?? 'Bad Request', detail };
}
