import { LRUCache } from 'lru-cache';

/** Entries of one cache. */
const MAX_ENTRIES = 10_000;

export interface RememberedOptions<T> {
  /** Fetches from the source; a failure is not remembered. */
  readonly load: (key: string) => Promise<T>;
  /** Milliseconds for which an answer is used at most; less when `forget` is called. */
  readonly lifeMs: number;
  /** Whether changes are notified at the moment; while they are not, nothing is remembered. */
  readonly informed: () => boolean;
  /** A clock that never goes back, milliseconds. */
  readonly clock: () => number;
}

/**
 * Answers of a source, cached for moments. Callers share a fetch that is in flight, but an answer whose key was forgotten meanwhile goes to
 * no later caller.
 */
export class Remembered<T> {
  private readonly entries: LRUCache<string, Promise<T>>;

  constructor(private readonly options: RememberedOptions<T>) {
    const { lifeMs, clock } = options;
    this.entries = new LRUCache({ max: MAX_ENTRIES, ttl: lifeMs, ttlResolution: 0, perf: { now: clock } });
  }

  /** The answer as it stands, or as it stood `lifeMs` ago at most. @throws what the source throws */
  get(key: string): Promise<T> {
    const { load, informed } = this.options;
    if (!informed()) return load(key);
    const known = this.entries.get(key);
    if (known) return known;
    const value = load(key);
    this.entries.set(key, value);
    value.catch(() => {
      if (this.entries.peek(key) === value) this.entries.delete(key);
    });
    return value;
  }

  /** The source may answer differently from now on: for one key, or for every one. */
  forget(key?: string): void {
    if (key === undefined) this.entries.clear();
    else this.entries.delete(key);
  }
}
