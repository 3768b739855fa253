import type { IncomingMessage } from 'node:http';

const moments = new WeakMap<IncomingMessage, Date>();

/** Has the access token of one request judged at another moment than the present one: a switch for trouble does so. */
export function judgeAt(request: IncomingMessage, moment: Date): void {
  moments.set(request, moment);
}

/** The moment that the request's token is judged at; undefined for the present one. */
export function judgedAt(request: IncomingMessage): Date | undefined {
  return moments.get(request);
}
