import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { basicAuthorization } from '@ssb/bus';
import { PASSWORD, USERNAME } from './running-gateway.js';

/** Lines of a request's head. The last asks the gateway to end the connection, so that an answer has an end. */
export const AUTHORIZATION = `authorization: ${basicAuthorization(USERNAME, PASSWORD)}\r\n`;
export const HOST = 'host: gateway\r\n';
export const LAST = 'connection: close\r\n';

export interface WireAnswer {
  readonly status: number;
  readonly head: string;
  /** What follows the head, further answers on the connection included. */
  readonly body: string;
}

/** All that is answered to these bytes, until the gateway ends the connection. @param ca of a gateway with TLS */
export async function answerTo(
  at: { url: string },
  bytes: string | Buffer,
  ca?: string,
): Promise<WireAnswer> {
  const to = { port: Number(new URL(at.url).port), host: '127.0.0.1' };
  const socket: Socket = ca === undefined ? connect(to) : connectTls({ ...to, ca });
  socket.write(bytes);
  const answer = await text(socket);
  socket.destroy();
  const [head = '', body = ''] = answer.split(/\r\n\r\n(.*)/s);
  return { status: Number(head.split(' ', 2)[1]), head, body };
}

/** The code of an error object. */
export function codeOf({ body }: WireAnswer): unknown {
  return (JSON.parse(body) as { err: { code: unknown } }).err.code;
}
