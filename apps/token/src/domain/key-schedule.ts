/**
 * When signing keys come and go. A key is made, and published, a while before it signs; it signs until its successor does;
 * and it stays published until the last token that it signed has ended. So whoever verifies a token with keys read a while ago
 * knows its key.
 */
export interface ScheduledKey {
  readonly keyId: string;
  /** Epoch milliseconds. */
  readonly signsFrom: number;
}

export interface RotationTimes {
  /** How long a key signs, milliseconds; more than `publishAheadMs`. */
  readonly rotateEveryMs: number;
  /** How long before it signs a key is published, at the least. */
  readonly publishAheadMs: number;
  /** How long a key stays published after its successor began to sign: no token may live longer. */
  readonly keepRetiredMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long a resource server may keep the published keys (`Cache-Control: max-age`). */
export const JWKS_MAX_AGE_SECONDS = 300;

/** How often a replica reads the keys again. */
export const READ_INTERVAL_MS = MINUTE_MS;

export const MAX_TOKEN_LIFETIME_SECONDS = 86_400;

/** Well above the time that a key is published ahead. */
export const MIN_ROTATION_SECONDS = 3_600;

/**
 * A verifier's copy is at most `JWKS_MAX_AGE_SECONDS` and one `READ_INTERVAL_MS` old, and some libraries keep one for ten minutes
 * regardless of it: a quarter of an hour leaves the clocks of replicas room to differ. A retired key stays for the longest
 * life that any setting allows, so that a shortened setting strands no token.
 */
export function toRotationTimes(rotationSeconds: number): RotationTimes {
  return {
    rotateEveryMs: rotationSeconds * SECOND_MS,
    publishAheadMs: 15 * MINUTE_MS,
    keepRetiredMs: MAX_TOKEN_LIFETIME_SECONDS * SECOND_MS + 15 * MINUTE_MS,
  };
}

export interface KeyPlan {
  /** A key is to be made that signs from this moment on, epoch milliseconds. */
  readonly create: { readonly signsFrom: number } | undefined;
  /** Keys that nobody needs any more. */
  readonly remove: readonly string[];
}

/** What is to be done to these keys now. Doing it and asking again yields nothing more. */
export function planKeys(keys: readonly ScheduledKey[], now: number, times: RotationTimes): KeyPlan {
  const ordered = inOrder(keys);
  return { create: nextKey(ordered.at(-1), now, times), remove: outlived(ordered, now, times) };
}

/** The key that signs now: the last that has begun. Where none has, as after a clock was set back, the first. */
export function signingKeyAt<Key extends ScheduledKey>(keys: readonly Key[], now: number): Key | undefined {
  const ordered = inOrder(keys);
  return ordered.findLast(({ signsFrom }) => signsFrom <= now) ?? ordered[0];
}

function nextKey(last: ScheduledKey | undefined, now: number, times: RotationTimes): KeyPlan['create'] {
  // The very first: nobody can have read keys before it.
  if (last === undefined) return { signsFrom: now };
  const due = last.signsFrom + times.rotateEveryMs;
  if (last.signsFrom > now || now < due - times.publishAheadMs) return undefined;
  return { signsFrom: Math.max(due, now + times.publishAheadMs) };
}

function outlived(ordered: readonly ScheduledKey[], now: number, { keepRetiredMs }: RotationTimes): string[] {
  return ordered
    .filter((_, at) => {
      const successor = ordered[at + 1];
      return successor !== undefined && successor.signsFrom + keepRetiredMs <= now;
    })
    .map(({ keyId }) => keyId);
}

/** By age; of two that begin at the same moment every replica must choose the same. */
function inOrder<Key extends ScheduledKey>(keys: readonly Key[]): Key[] {
  return [...keys].sort((a, b) => a.signsFrom - b.signsFrom || (a.keyId < b.keyId ? -1 : 1));
}
