import { judgeAt } from '../../tokens/request-clock.js';
import type { Before, Hit } from './spoil.js';

/** The server's clock goes wrong for this request: its `Date` header (RFC 9110 §6.6.1) and the moment its token is judged at. */
export function clockSkew({ one, request, reply, claim }: Hit<'clock-skew'>, now: number): Before {
  if (!claim()) return 'goes-on';
  const moment = new Date(now + one.trouble.seconds * 1000);
  judgeAt(request.raw, moment);
  void reply.header('date', moment.toUTCString());
  return 'goes-on';
}
