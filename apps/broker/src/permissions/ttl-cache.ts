import { LRUCache } from 'lru-cache';

/** Entries of one cache. */
const MAX_ENTRIES = 10_000;

/** Should a notice of a change be lost on its way, an answer is used for this many milliseconds all the same. */
const LIFE_MS = 1_000;

/**
 * Answers of a source, cached for moments. Callers share a fetch that is in flight, but an answer whose key was forgotten meanwhile goes to
 * no later caller.
 */
export class Remembered<T> {
  private readonly entries: LRUCache<string, Promise<T>>;

  /**
   * @param load fetches from the source; a failure is not remembered
   * @param informed whether changes are notified at the moment; while they are not, nothing is remembered
   * @param now milliseconds of a clock that never goes back
   */
  constructor(
    private readonly load: (key: string) => Promise<T>,
    private readonly informed: () => boolean,
    now = () => performance.now(),
  ) {
    this.entries = new LRUCache({ max: MAX_ENTRIES, ttl: LIFE_MS, ttlResolution: 0, perf: { now } });
  }

  /** The answer as it stands, or as it stood a second ago at most. @throws what the source throws */
  get(key: string): Promise<T> {
    if (!this.informed()) return this.load(key);
    const known = this.entries.get(key);
    if (known) return known;
    const value = this.load(key);
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
