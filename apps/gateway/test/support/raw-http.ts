import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { basicAuthorization } from '@ssb/bus';
import { PASSWORD, USERNAME } from './running-gateway.js';

/** Lines of a request's head. CONNECTION_CLOSE ends the connection, and so the response. */
export const AUTHORIZATION = `authorization: ${basicAuthorization(USERNAME, PASSWORD)}\r\n`;
export const HOST = 'host: gateway\r\n';
export const CONNECTION_CLOSE = 'connection: close\r\n';

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  /** Everything after the head, further responses on the connection included. */
  readonly body: string;
}

/** Sends bytes and reads until the gateway ends the connection. @param ca of a gateway with TLS */
export async function sendRaw(
  server: { url: string },
  bytes: string | Buffer,
  ca?: string,
): Promise<RawResponse> {
  const address = { port: Number(new URL(server.url).port), host: '127.0.0.1' };
  const socket: Socket = ca === undefined ? connect(address) : connectTls({ ...address, ca });
  socket.write(bytes);
  const response = await text(socket);
  socket.destroy();
  const [head = '', body = ''] = response.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ', 2)[1]), head, body };
}

export function getErrorCode({ body }: RawResponse): unknown {
  return (JSON.parse(body) as { err: { code: unknown } }).err.code;
}
