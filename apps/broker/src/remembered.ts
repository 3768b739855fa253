/** Entries of one memory; beyond it the one that was read first is forgotten, so that memory stays bounded. */
const MOST_ENTRIES = 10_000;

interface Entry<T> {
  readonly value: Promise<T>;
  /** Milliseconds of a clock that never goes back. */
  readonly until: number;
}

export interface RememberedOptions<T> {
  /** Asks the source; a failure is not remembered. */
  readonly load: (key: string) => Promise<T>;
  /** How long an answer is believed at most, milliseconds; less when `forget` is told of a change. */
  readonly lifeMs: number;
  /** Whether changes are being told at the moment; while they are not, nothing is remembered. */
  readonly informed: () => boolean;
  /** A clock that never goes back, milliseconds. */
  readonly clock: () => number;
}

/**
 * Answers of a source, remembered for moments. Who asks while the source is being asked waits for the same answer; but an answer that was
 * under way when its key was forgotten is given to those who wait for it and to nobody later.
 */
export class Remembered<T> {
  private readonly entries = new Map<string, Entry<T>>();

  constructor(private readonly options: RememberedOptions<T>) {}

  /** The answer as it stands, or as it stood `lifeMs` ago at most. @throws what the source throws */
  get(key: string): Promise<T> {
    const { load, lifeMs, informed, clock } = this.options;
    if (!informed()) return load(key);
    const now = clock();
    const known = this.entries.get(key);
    if (known && now < known.until) return known.value;
    if (known) this.entries.delete(key);
    const entry = { value: load(key), until: now + lifeMs };
    if (this.entries.size >= MOST_ENTRIES) this.forgetOldest();
    this.entries.set(key, entry);
    entry.value.catch(() => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    });
    return entry.value;
  }

  /** The source may answer differently from now on: for one key, or for every one. */
  forget(key?: string): void {
    if (key === undefined) this.entries.clear();
    else this.entries.delete(key);
  }

  private forgetOldest(): void {
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
