import { isSameIdentity } from '@ssb/identity';
import { coversTime, type TrustEntry } from '../verify/trust.js';
import { parseUtcTime } from '../verify/utc-time.js';

/** `retired`: it is no longer trusted. `revoked`: its key may be in other hands since a time after the signature, by the times of the evidence. */
export type KeyState = 'trusted' | 'retired' | 'revoked';

export type KeyTrust<Entry extends TrustEntry> =
  | {
      readonly ok: true;
      readonly state: KeyState;
      /** Since when it is no longer trusted, or may be in other hands. */
      readonly since?: string;
      /** The entries that trusted it when the event was archived. */
      readonly entries: readonly Entry[];
    }
  | {
      readonly ok: false;
      readonly reason: 'unknown' | 'not-trusted-then' | 'revoked';
      readonly since?: string;
    };

export interface KeyTimes {
  /** When the event was archived, epoch milliseconds. */
  readonly archivedAt: number;
  /** The latest of the times at which the event was signed, stored and archived. */
  readonly latest: number;
}

/** Whether the entries of a channel trusted a key when the event was archived, and at every other time that the evidence claims for it. */
export function findKeyTrust<Entry extends TrustEntry>(
  entries: readonly Entry[],
  did: string,
  { archivedAt, latest }: KeyTimes,
): KeyTrust<Entry> {
  const own = entries.filter((entry) => isSameIdentity(entry.did, did));
  if (own.length === 0) return { ok: false, reason: 'unknown' };
  const [revoked] = inOrder(own.flatMap((entry) => entry.revoked ?? []));
  if (revoked !== undefined && latest >= parseUtcTime(revoked))
    return { ok: false, reason: 'revoked', since: revoked };
  const then = own.filter((entry) => coversTime(entry, archivedAt) && coversTime(entry, latest));
  if (then.length === 0) return { ok: false, reason: 'not-trusted-then' };
  if (revoked !== undefined) return { ok: true, state: 'revoked', since: revoked, entries: then };
  const ends = inOrder(own.flatMap((entry) => entry.until ?? []));
  const until = ends.length === own.length ? ends.at(-1) : undefined;
  return until === undefined
    ? { ok: true, state: 'trusted', entries: then }
    : { ok: true, state: 'retired', since: until, entries: then };
}

function inOrder(times: readonly string[]): string[] {
  return [...times].sort((a, b) => parseUtcTime(a) - parseUtcTime(b));
}
