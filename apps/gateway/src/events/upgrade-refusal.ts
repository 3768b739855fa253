import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayFailure } from '../domain/gateway-failure.js';
import { headersOf } from '../http/err-answers.js';

/** Answers an upgrade request that is not granted, with the same error object as every other request. */
export function refuseUpgrade(socket: Duplex, failure: GatewayFailure): void {
  const body = JSON.stringify(failure.body());
  const lines = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    // RFC 6455 §4.4: whoever speaks another version is told the one that is spoken here.
    'Sec-WebSocket-Version: 13',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headersOf(failure)).map(([name, value]) => `${name}: ${value}`),
  ];
  // A peer that never closes its half would keep the socket for ever: no time limit of the server holds after an upgrade.
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
