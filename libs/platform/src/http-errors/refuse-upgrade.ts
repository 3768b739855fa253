import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

export interface UpgradeRefusal {
  readonly status: number;
  /** Sent as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Responds to an upgrade request with an HTTP error, and closes the connection. */
export function refuseUpgrade(socket: Duplex, { status, body, headers = {} }: UpgradeRefusal): void {
  const text = JSON.stringify(body);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    // Names the supported version to a client of another one (RFC 6455 §4.4).
    'Sec-WebSocket-Version: 13',
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // The server's time-outs end with the upgrade, and the client may never close its half.
  socket.once('finish', () => socket.destroy());
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
}
