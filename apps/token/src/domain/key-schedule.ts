/**
 * The rotation of signing keys. A key is published before it signs, signs until its successor does, and stays published until the last
 * token that it signed has expired.
 */
export interface ScheduledKey {
  readonly keyId: string;
  /** Epoch milliseconds. */
  readonly signsFrom: number;
}

export interface RotationTimes {
  /** How long a key signs, milliseconds; more than `publishAheadMs`. */
  readonly rotateEveryMs: number;
  /** The minimum time between the publication of a key and its first signature. */
  readonly publishAheadMs: number;
  /** How long a key stays published after its successor begins to sign; at least the lifetime of a token. */
  readonly keepRetiredMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long a resource server may cache the published keys (`Cache-Control: max-age`). */
export const JWKS_MAX_AGE_SECONDS = 300;

/** How often a replica reads the keys from the database. */
export const READ_INTERVAL_MS = MINUTE_MS;

export const MAX_TOKEN_LIFETIME_SECONDS = 86_400;

/** Well above the time that a key is published ahead. */
export const MIN_ROTATION_SECONDS = 3_600;

/** Some libraries ignore `max-age` and cache keys for ten minutes; the rest allows for clock differences between replicas. */
const CACHE_AND_CLOCK_MARGIN_MS = 15 * MINUTE_MS;

/** A retired key is kept for the longest token lifetime that the settings allow, so a shortened setting invalidates no token. */
export function toRotationTimes(rotationSeconds: number): RotationTimes {
  return {
    rotateEveryMs: rotationSeconds * SECOND_MS,
    publishAheadMs: CACHE_AND_CLOCK_MARGIN_MS,
    keepRetiredMs: MAX_TOKEN_LIFETIME_SECONDS * SECOND_MS + CACHE_AND_CLOCK_MARGIN_MS,
  };
}

export interface KeyPlan {
  /** The key to create signs from this moment on, epoch milliseconds. */
  readonly create: { readonly signsFrom: number } | undefined;
  /** Ids of the keys that no token needs any more. */
  readonly remove: readonly string[];
}

/** What to create and remove now. Once it is done, the next plan is empty. */
export function planKeys(keys: readonly ScheduledKey[], now: number, times: RotationTimes): KeyPlan {
  const ordered = sortByStart(keys);
  return { create: planNextKey(ordered.at(-1), now, times), remove: findExpired(ordered, now, times) };
}

/** The key that signs now: the last one that has begun. If none has, as after a clock was set back, the first. */
export function signingKeyAt<Key extends ScheduledKey>(keys: readonly Key[], now: number): Key | undefined {
  const ordered = sortByStart(keys);
  return ordered.findLast(({ signsFrom }) => signsFrom <= now) ?? ordered[0];
}

function planNextKey(last: ScheduledKey | undefined, now: number, times: RotationTimes): KeyPlan['create'] {
  // The first key signs at once: no client has cached older keys.
  if (last === undefined) return { signsFrom: now };
  const due = last.signsFrom + times.rotateEveryMs;
  if (last.signsFrom > now || now < due - times.publishAheadMs) return undefined;
  return { signsFrom: Math.max(due, now + times.publishAheadMs) };
}

function findExpired(
  ordered: readonly ScheduledKey[],
  now: number,
  { keepRetiredMs }: RotationTimes,
): string[] {
  return ordered
    .filter((_, at) => {
      const successor = ordered[at + 1];
      return successor !== undefined && successor.signsFrom + keepRetiredMs <= now;
    })
    .map(({ keyId }) => keyId);
}

/** The id breaks ties, so that every replica chooses the same key. */
function sortByStart<Key extends ScheduledKey>(keys: readonly Key[]): Key[] {
  return [...keys].sort((a, b) => a.signsFrom - b.signsFrom || (a.keyId < b.keyId ? -1 : 1));
}
