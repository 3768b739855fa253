import { Semaphore } from 'async-mutex';

export interface QueueLimits {
  /** Pieces of work that run at once. */
  readonly running: number;
  /** Further ones that wait. */
  readonly waiting: number;
}

/** Runs a few pieces of work at once. Further ones wait, and those beyond the limit are refused. */
export class BoundedQueue {
  private readonly semaphore: Semaphore;
  private pending = 0;

  constructor(
    private readonly limits: QueueLimits,
    private readonly createError: () => Error,
  ) {
    this.semaphore = new Semaphore(limits.running);
  }

  /** @throws the error of `createError` when too many wait */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.pending >= this.limits.running + this.limits.waiting) throw this.createError();
    this.pending += 1;
    try {
      return await this.semaphore.runExclusive(work);
    } finally {
      this.pending -= 1;
    }
  }
}
