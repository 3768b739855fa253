/** The smallest of the values of the last one to two windows, in constant memory. */
export class RecentMinimum {
  private windowStart = -Infinity;
  private current = Infinity;
  private previous = Infinity;

  constructor(private readonly windowMs: number) {}

  /** @param at a clock that is never set back, milliseconds */
  add(value: number, at: number): number {
    const elapsedMs = at - this.windowStart;
    if (elapsedMs >= this.windowMs) {
      this.previous = elapsedMs < 2 * this.windowMs ? this.current : Infinity;
      this.current = Infinity;
      this.windowStart = at;
    }
    this.current = Math.min(this.current, value);
    return Math.min(this.current, this.previous);
  }
}
