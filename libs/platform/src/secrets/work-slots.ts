/** All places are taken and the queue for them is full. */
export class NoSlotError extends Error {
  override readonly name = 'NoSlotError';
}

/** Runs at most `slots` tasks at once and lets at most `queue` more wait, in the order of their arrival. */
export class WorkSlots {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(
    slots: number,
    private readonly queue: number,
  ) {
    this.free = slots;
  }

  /** @throws NoSlotError when too many wait already; otherwise whatever the task throws */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await task();
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    if (this.waiting.length >= this.queue) throw new NoSlotError(`${this.waiting.length} are waiting`);
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** A slot goes straight to the next in line, so nobody who comes meanwhile can take it. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.free += 1;
    else next();
  }
}
