/** Milliseconds of computing in one turn of the event loop. A message passes some turns on its road, so this counts several times over. */
const LONGEST_SHARE_MS = 1;

/**
 * Divides the event loop between work that computes (a signature's signer is recovered in some 70 µs, and many messages come at once) and
 * everything else that waits for its turn: deliveries, answers, new requests. The work of several requests is done by turns, so that one
 * message does not wait for the many that came before it.
 */
export class EventLoopShare {
  /** Work that waits, for each request in its order; whose turn is next stands first. */
  private readonly lines = new Map<object, (() => void)[]>();
  private turning = false;
  private began = 0;

  constructor(
    /** A clock that never goes back, milliseconds. */
    private readonly clock: () => number = () => performance.now(),
    private readonly longestMs = LONGEST_SHARE_MS,
  ) {}

  /**
   * Does the work at once while this turn's share lasts, else in a later turn. Rejects with what the work throws.
   * @param request what the work is done for
   */
  run<T>(request: object, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.add(request, () => {
        try {
          resolve(work());
        } catch (error) {
          // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- handed on as it was thrown
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

  private add(request: object, work: () => void): void {
    const line = this.lines.get(request);
    if (line) line.push(work);
    else this.lines.set(request, [work]);
  }

  private turn(): void {
    if (this.lines.size === 0) {
      this.turning = false;
      return;
    }
    this.began = this.clock();
    setImmediate(() => this.turn());
    this.work();
  }

  private work(): void {
    while (this.lines.size > 0 && this.clock() - this.began < this.longestMs) {
      const [next] = this.lines;
      if (next === undefined) return;
      const [request, line] = next;
      const work = line.shift();
      this.lines.delete(request);
      if (line.length > 0) this.lines.set(request, line);
      work?.();
    }
  }
}
