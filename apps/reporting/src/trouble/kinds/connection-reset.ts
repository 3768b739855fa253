import type { TcpConnections } from '../tcp-connections.js';
import { sendStart } from './send-start.js';
import type { Before, BodyOut, Hit } from './spoil.js';

/** Resets the connection without a word. */
export function resetBeforeAnswer(hit: Hit<'connection-reset'>, connections: TcpConnections): Before {
  const { one, request, reply, claim } = hit;
  if (one.trouble.when !== 'before-answer' || !claim()) return 'goes-on';
  reply.hijack();
  connections.reset(request.raw.socket);
  return 'answered';
}

/** Resets the connection once half of the body is on its way. */
export function resetInBody(
  hit: Hit<'connection-reset'>,
  body: string | Uint8Array,
  connections: TcpConnections,
): BodyOut {
  const { one, request, reply, claim } = hit;
  if (one.trouble.when !== 'in-body' || !claim()) return 'unchanged';
  sendStart(reply, body, () => connections.reset(request.raw.socket));
  return 'sent';
}
