import { setImmediate as nextTurn } from 'node:timers/promises';

interface Batch<T> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, T>>;
}

const MAX_KEYS = 250;

/** Loads values by key, one batch at a time. Requests during a batch share the next one, so a result is never older than its request. */
export class BatchLoader<T> {
  private loading: Promise<unknown> = Promise.resolve();
  private next: Batch<T> | undefined;

  /**
   * @param load returns the existing values of these distinct keys; its error fails every request of the batch
   * @param maxKeys of one batch; further requests join the next one
   */
  constructor(
    private readonly load: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
    private readonly maxKeys = MAX_KEYS,
  ) {}

  async find(key: string): Promise<T | undefined> {
    const batch = this.batchFor(key);
    batch.keys.add(key);
    return (await batch.found).get(key);
  }

  private batchFor(key: string): Batch<T> {
    const { next } = this;
    if (next !== undefined && (next.keys.size < this.maxKeys || next.keys.has(key))) return next;
    const keys = new Set<string>();
    const found = this.loadAfter(this.loading, keys);
    this.loading = found.catch(() => undefined);
    return (this.next = { keys, found });
  }

  private async loadAfter(
    previous: Promise<unknown>,
    keys: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, T>> {
    await previous;
    // Requests of the same event-loop turn share the first batch.
    await nextTurn();
    // Later requests join the next batch.
    if (this.next?.keys === keys) this.next = undefined;
    return this.load([...keys]);
  }
}
