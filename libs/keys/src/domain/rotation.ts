import { KeyRing, type KeyVersion } from './key-ring.js';

/** `pending`: active later. `previous`: replaced, and still valid. */
export type KeyState = 'previous' | 'active' | 'pending';

/** A changed key ring, or the sentence why it cannot be changed now. */
export type RingChange =
  | { readonly ok: true; readonly ring: KeyRing; readonly dropped: readonly number[] }
  | { readonly ok: false; readonly problem: string };

export interface RotationOptions {
  readonly now: Date;
  /** Time until the new version is active. By then every process must have read it. */
  readonly activeInMs: number;
  /** How long a replaced version stays valid. */
  readonly overlapMs: number;
  /** Secret of the new version. */
  readonly secret: string;
}

export function stateOf(ring: KeyRing, { version }: KeyVersion, now: Date): KeyState {
  const active = ring.activeAt(now).version;
  if (version === active) return 'active';
  return version > active ? 'pending' : 'previous';
}

/** Adds a version and drops replaced ones. One rotation must end before the next begins, so two versions remain at most. */
export function rotateRing(
  ring: KeyRing,
  { now, activeInMs, overlapMs, secret }: RotationOptions,
): RingChange {
  const pending = findPending(ring, now);
  if (pending !== undefined)
    return refuse(
      `version ${pending.version} is not active before ${pending.activeFrom.toISOString()}; wait until then, or activate it earlier with "busbridge keys activate"`,
    );
  const kept = ring.keys.filter((key) => isNeeded(ring, key, now, overlapMs));
  const previous = kept.find((key) => stateOf(ring, key, now) === 'previous');
  if (previous !== undefined) {
    const until = new Date(replacedAt(ring, previous) + overlapMs);
    return refuse(
      `version ${previous.version} is replaced, but stays valid until ${until.toISOString()}; rotate after that, or give a shorter --overlap`,
    );
  }
  return change(ring, [...kept, nextVersion(ring, now, activeInMs, secret)]);
}

/** Replaces every version at once, because the secrets are known to others. */
export function replaceRing(ring: KeyRing, now: Date, secret: string): RingChange {
  const { version } = nextVersion(ring, now, 0, secret);
  return change(ring, [{ version, activeFrom: now, secret }]);
}

/** Changes when the pending version is active. */
export function activateRing(ring: KeyRing, now: Date, activeInMs: number): RingChange {
  const pending = findPending(ring, now);
  if (pending === undefined) return refuse('no version is pending; add one with "busbridge keys rotate"');
  const others = ring.keys.filter((key) => key !== pending);
  return change(ring, [...others, { ...pending, activeFrom: activeFrom(others, now, activeInMs) }]);
}

/** Drops the versions that were replaced longer ago than the overlap. */
export function retireRing(ring: KeyRing, now: Date, overlapMs: number): RingChange {
  return change(
    ring,
    ring.keys.filter((key) => isNeeded(ring, key, now, overlapMs)),
  );
}

function findPending(ring: KeyRing, now: Date): KeyVersion | undefined {
  return ring.keys.find((key) => stateOf(ring, key, now) === 'pending');
}

function isNeeded(ring: KeyRing, key: KeyVersion, now: Date, overlapMs: number): boolean {
  return stateOf(ring, key, now) !== 'previous' || replacedAt(ring, key) + overlapMs > now.getTime();
}

/** When the next version became active. */
function replacedAt({ keys }: KeyRing, { version }: KeyVersion): number {
  return keys.find((key) => key.version > version)?.activeFrom.getTime() ?? Infinity;
}

function nextVersion({ keys }: KeyRing, now: Date, activeInMs: number, secret: string): KeyVersion {
  const version = Math.max(...keys.map((key) => key.version)) + 1;
  return { version, activeFrom: activeFrom(keys, now, activeInMs), secret };
}

/** Later than every other version, as a key ring needs it. */
function activeFrom(others: readonly KeyVersion[], now: Date, activeInMs: number): Date {
  const latest = Math.max(...others.map((key) => key.activeFrom.getTime()));
  return new Date(Math.max(now.getTime() + activeInMs, latest + 1));
}

function change(ring: KeyRing, keys: readonly KeyVersion[]): RingChange {
  const changed = new KeyRing(keys);
  const dropped = ring.keys
    .map(({ version }) => version)
    .filter((version) => changed.find(version) === undefined);
  return { ok: true, ring: changed, dropped };
}

function refuse(problem: string): RingChange {
  return { ok: false, problem };
}
