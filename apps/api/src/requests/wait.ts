import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { InvalidRequestError } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceClosed } from '../http/once-closed.js';

export const MAX_WAIT_SECONDS = 30;
const PARAMETER = 'wait';
/** RFC 7240 §4.3. */
const PREFERENCE = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i;

/** How long a caller waits for the end of a request. */
export interface Wait {
  readonly seconds: number;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** The query parameter `wait`, or the header `Prefer: wait=`. */
export const WaitForEnd = createParamDecorator((_: unknown, context: ExecutionContext): Wait => {
  const http = context.switchToHttp();
  const request = http.getRequest<FastifyRequest>();
  const gone = new AbortController();
  onceClosed(http.getResponse<FastifyReply>().raw, () => gone.abort());
  return { seconds: readSeconds(request), signal: gone.signal };
});

/** A preference that is too long is shortened, and one that is malformed is ignored (RFC 7240 §2). */
function readSeconds({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): number {
  const { [PARAMETER]: text } = query as Readonly<Record<string, unknown>>;
  if (text === undefined) {
    const [, preferred = '0'] = PREFERENCE.exec([headers['prefer']].flat().join(', ')) ?? [];
    return Math.min(Number(preferred), MAX_WAIT_SECONDS);
  }
  const seconds = typeof text === 'string' && /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 0 && seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new InvalidRequestError([
    { path: PARAMETER, message: `${PARAMETER} must be a whole number from 0 to ${MAX_WAIT_SECONDS}` },
  ]);
}
