/** How long a job waits for the start of one that was taken before it. Normally that is the same turn of the event loop. */
const MAX_WAIT_MS = 1_000;

/** Starts jobs in the order in which they were taken from Redis. BullMQ takes jobs in several ways, and some of them return the job sooner. */
export class TakenOrder {
  /** Jobs that were taken and have not started, oldest first, with what starts each that is ready. */
  private readonly taken = new Map<string, (() => void) | undefined>();

  constructor(private readonly maxWaitMs = MAX_WAIT_MS) {}

  /** A job was taken. */
  add(id: string): void {
    this.remove(id);
    this.taken.set(id, undefined);
  }

  /** Resolves when the jobs that were taken before this one have started, at the latest after the maximum wait. */
  async waitForTurn(id: string): Promise<void> {
    // A job that lost its lock is taken again, perhaps while it still waits.
    this.taken.get(id)?.();
    // A later job was overdue, so it waited no longer for this one.
    if (!this.taken.has(id)) return;
    const started = new Promise<void>((resolve) => this.taken.set(id, resolve));
    const overdue = setTimeout(() => this.startUpTo(id), this.maxWaitMs);
    // Deferred until this job waits. Otherwise those that start with it would continue first.
    queueMicrotask(() => this.startReady());
    await started;
    clearTimeout(overdue);
  }

  /** The job is not going to start here. */
  remove(id: string): void {
    this.taken.get(id)?.();
    this.taken.delete(id);
    this.startReady();
  }

  private startReady(): void {
    for (const [id, start] of this.taken) {
      if (start === undefined) return;
      this.taken.delete(id);
      start();
    }
  }

  /** Starts the job and those before it that are ready, and waits no longer for the others before it. */
  private startUpTo(last: string): void {
    for (const [id, start] of this.taken) {
      this.taken.delete(id);
      start?.();
      if (id === last) break;
    }
    this.startReady();
  }
}
