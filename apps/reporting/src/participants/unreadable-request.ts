import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Answers what is no readable HTTP request, so that no route can be asked, with problem+json and the status that RFC 9110 and
 * RFC 6585 give it; the connection ends, for nobody knows where its next request begins. These three are statuses of HTTP, not of
 * the interface of document 000. An expectation that we do not know is passed over, as RFC 9110 §10.1.1 allows: 417 would be a fourth.
 */
export function refuseUnreadable(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.removeAllListeners('clientError');
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, detail } = refusalOf(error.code);
    const title = STATUS_CODES[status] ?? 'Bad Request';
    const body = JSON.stringify({ type: 'about:blank', title, status, detail });
    socket.end(
      `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });
}

function refusalOf(code: string | undefined): { status: number; detail: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, detail: 'Address and headers may be 16 KiB together.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, detail: 'The request did not arrive in time.' };
    default:
      return { status: 400, detail: 'This is no HTTP/1.1 request.' };
  }
}
