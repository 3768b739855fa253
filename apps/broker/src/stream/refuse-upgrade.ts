import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BusError } from '../bus-error.js';

/** Answers an upgrade request with a plain HTTP error in the broker's form, and closes. */
export function refuseUpgrade(socket: Duplex, error: BusError): void {
  const body = JSON.stringify(error.body());
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(error.code === 'BUS::UNAUTHENTICATED' ? ['WWW-Authenticate: Bearer'] : []),
  ];
  // A peer that never closes its half would keep the socket for ever: no time limit of the server holds after an upgrade.
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
