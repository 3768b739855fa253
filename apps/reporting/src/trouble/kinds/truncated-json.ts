import { firstHalf } from '../domain/alter-json.js';
import { sendStart } from './send-start.js';
import type { BodyOut, Hit } from './spoil.js';

/** Half of the body: under the length of the whole, and then the connection is closed; or as if it were the whole. */
export function truncatedJson({ one, request, reply, claim }: Hit<'truncated-json'>, body: string): BodyOut {
  if (!claim()) return 'unchanged';
  const { contentLength } = one.trouble;
  switch (contentLength) {
    case 'of-half':
      return { body: firstHalf(body) };
    case 'of-whole':
      sendStart(reply, body, () => request.raw.socket.end());
      return 'sent';
    default:
      return contentLength satisfies never;
  }
}
