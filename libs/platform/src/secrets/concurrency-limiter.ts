import { Semaphore } from 'async-mutex';

/** All slots are taken and the queue is full. */
export class TooManyTasksError extends Error {
  override readonly name = 'TooManyTasksError';
}

/** Runs at most `slots` tasks at once. At most `queue` more wait, in the order of arrival. */
export class ConcurrencyLimiter {
  private readonly semaphore: Semaphore;
  private tasks = 0;

  constructor(
    private readonly slots: number,
    private readonly queue: number,
  ) {
    this.semaphore = new Semaphore(slots);
  }

  /** @throws TooManyTasksError when the queue is full, or the task's error */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.tasks >= this.slots + this.queue) throw new TooManyTasksError(`${this.queue} are waiting`);
    this.tasks += 1;
    try {
      return await this.semaphore.runExclusive(task);
    } finally {
      this.tasks -= 1;
    }
  }
}
