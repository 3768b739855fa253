import { Semaphore } from 'async-mutex';

/** All places are taken and the queue for them is full. */
export class NoSlotError extends Error {
  override readonly name = 'NoSlotError';
}

/** Runs at most `slots` tasks at once and lets at most `queue` more wait, in the order of their arrival. */
export class WorkSlots {
  private readonly semaphore: Semaphore;
  private tasks = 0;

  constructor(
    private readonly slots: number,
    private readonly queue: number,
  ) {
    this.semaphore = new Semaphore(slots);
  }

  /** @throws NoSlotError when too many wait already; otherwise whatever the task throws */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.tasks >= this.slots + this.queue) throw new NoSlotError(`${this.queue} are waiting`);
    this.tasks += 1;
    try {
      return await this.semaphore.runExclusive(task);
    } finally {
      this.tasks -= 1;
    }
  }
}
