/** Limits the jobs that a worker has in flight, by their number and by the size of their data. */
export class IntakeLimit {
  private readonly sizes = new Map<string, number>();
  private size = 0;

  constructor(
    private readonly maxJobs: number,
    private readonly maxSize: number,
  ) {}

  /** Jobs that may be in flight at once, those in flight included. A single job is taken whatever its size. */
  get concurrency(): number {
    return this.size < this.maxSize ? this.maxJobs : Math.min(this.maxJobs, Math.max(1, this.sizes.size));
  }

  /** Whether no job is taken until another one ends. */
  get isFull(): boolean {
    return this.sizes.size >= this.concurrency;
  }

  add(id: string, size: number): void {
    this.remove(id);
    this.sizes.set(id, size);
    this.size += size;
  }

  /** Harmless when the job is not in flight. */
  remove(id: string): void {
    this.size -= this.sizes.get(id) ?? 0;
    this.sizes.delete(id);
  }
}
