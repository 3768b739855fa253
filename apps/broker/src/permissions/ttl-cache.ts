import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;

/** Bounds the age of an entry whose change notification is lost. */
const TTL_MS = 1_000;

/** Caches values of a source for a second. Callers share a fetch in flight, but a fetch of an evicted key is not reused. */
export class TtlCache<T> {
  private readonly entries: LRUCache<string, Promise<T>>;

  /**
   * @param fetch reads from the source; a failure is not cached
   * @param isNotified whether change notifications are received now; nothing is cached otherwise
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly fetch: (key: string) => Promise<T>,
    private readonly isNotified: () => boolean,
    now = () => performance.now(),
  ) {
    this.entries = new LRUCache({ max: MAX_ENTRIES, ttl: TTL_MS, ttlResolution: 0, perf: { now } });
  }

  /** @throws what the source throws */
  get(key: string): Promise<T> {
    if (!this.isNotified()) return this.fetch(key);
    const cached = this.entries.get(key);
    if (cached) return cached;
    const value = this.fetch(key);
    this.entries.set(key, value);
    value.catch(() => {
      if (this.entries.peek(key) === value) this.entries.delete(key);
    });
    return value;
  }

  /** @param key undefined: every key */
  evict(key?: string): void {
    if (key === undefined) this.entries.clear();
    else this.entries.delete(key);
  }
}
