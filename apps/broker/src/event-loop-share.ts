/** Milliseconds of computing in one turn of the event loop. */
const LONGEST_SHARE_MS = 3;

/**
 * Divides the event loop between work that computes (a signature's signer is recovered in some 70 µs, and many messages come at once) and
 * everything else that waits for its turn: deliveries, answers, new requests. Whoever came first computes first.
 */
export class EventLoopShare {
  private readonly line: (() => void)[] = [];
  private turning = false;
  private began = 0;

  constructor(
    /** A clock that never goes back, milliseconds. */
    private readonly clock: () => number = () => performance.now(),
  ) {}

  /** Does the work at once while this turn's share lasts, else in a later turn. Rejects with what the work throws. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.line.push(() => {
        try {
          resolve(work());
        } catch (error) {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- handed on as it was thrown
          reject(error);
        }
      });
      if (!this.turning) {
        this.turning = true;
        this.began = this.clock();
        setImmediate(() => this.turn());
      }
      this.work();
    });
  }

  private turn(): void {
    if (this.line.length === 0) {
      this.turning = false;
      return;
    }
    this.began = this.clock();
    setImmediate(() => this.turn());
    this.work();
  }

  private work(): void {
    while (this.line.length > 0 && this.clock() - this.began < LONGEST_SHARE_MS) this.line.shift()?.();
  }
}
