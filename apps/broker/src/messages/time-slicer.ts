/** Maximum work per turn of the event loop. A message needs several turns, so a longer slice adds several times to its latency. */
const MAX_SLICE_MS = 1;

/**
 * Divides the event loop between CPU-bound work (verifying a signature takes about 70 µs) and all other callbacks.
 * Requests are served round-robin, so that one message does not wait for a large batch.
 */
export class TimeSlicer {
  /** Pending work of each key, usually one key for each request. The first entry runs next. */
  private readonly queues = new Map<object, (() => void)[]>();
  private isScheduled = false;
  private sliceStartedAt = 0;

  constructor(
    /** Milliseconds of a monotonic clock. */
    private readonly clock: () => number = () => performance.now(),
    private readonly maxSliceMs = MAX_SLICE_MS,
  ) {}

  /**
   * Runs the work now if the slice of this turn has time left, otherwise in a later turn. Rejects with the error of the work.
   * @param key work with the same key runs in order; the slicer alternates between keys
   */
  run<T>(key: object, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.enqueue(key, () => {
        try {
          resolve(work());
        } catch (error) {
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the error of the work, unchanged
          reject(error);
        }
      });
      if (!this.isScheduled) {
        this.isScheduled = true;
        this.sliceStartedAt = this.clock();
        setImmediate(() => this.startTurn());
      }
      this.runSlice();
    });
  }

  private enqueue(key: object, work: () => void): void {
    const queue = this.queues.get(key);
    if (queue) queue.push(work);
    else this.queues.set(key, [work]);
  }

  private startTurn(): void {
    if (this.queues.size === 0) {
      this.isScheduled = false;
      return;
    }
    this.sliceStartedAt = this.clock();
    setImmediate(() => this.startTurn());
    this.runSlice();
  }

  private runSlice(): void {
    while (this.queues.size > 0 && this.clock() - this.sliceStartedAt < this.maxSliceMs) {
      const [next] = this.queues;
      if (next === undefined) return;
      const [key, queue] = next;
      const work = queue.shift();
      this.queues.delete(key);
      if (queue.length > 0) this.queues.set(key, queue);
      work?.();
    }
  }
}
