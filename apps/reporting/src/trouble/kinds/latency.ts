import { setTimeout as delay } from 'node:timers/promises';
import type { Before, Hit } from './spoil.js';

/** Lets the request wait, no longer than its connection lives or the server runs. */
export async function latency(
  { one, request, reply, claim }: Hit<'latency'>,
  closing: AbortSignal,
): Promise<Before> {
  if (!claim()) return 'goes-on';
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  request.raw.socket.once('close', leave);
  const signal = AbortSignal.any([gone.signal, closing]);
  try {
    await delay(one.trouble.ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    // A connection kept alive would hold up the server's end.
    if (closing.aborted) void reply.header('connection', 'close');
  } finally {
    request.raw.socket.off('close', leave);
  }
  return 'goes-on';
}
