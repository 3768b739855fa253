import { randomBytes } from 'node:crypto';

/** Starts a new sampled trace for each event (W3C Trace Context, "traceparent", version 00). */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
