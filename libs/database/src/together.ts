import { setImmediate as nextTurn } from 'node:timers/promises';

interface Look<T> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, T>>;
}

/** Keys of one look when nothing else is said: far more than make a statement each cheap, few enough to answer them soon. */
const MOST_KEYS = 250;

/**
 * Looks up by key, one look at a time: who asks while one is under way is served by the next, together with everybody else who does. So an
 * answer is never older than its question, and under load one statement serves many requests. Even the first look waits for the requests
 * that have arrived with it: while an embedded engine looks, the thread reads no request, so nobody could join the look after.
 */
export class Together<T> {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Look<T> | undefined;

  /**
   * @param lookUp finds what there is of these keys, each named once; what it throws reaches everybody who was to be served
   * @param mostKeys of one look; who comes when it is full is served by the one after
   */
  constructor(
    private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
    private readonly mostKeys = MOST_KEYS,
  ) {}

  async find(key: string): Promise<T | undefined> {
    const look = this.lookFor(key);
    look.keys.add(key);
    return (await look.found).get(key);
  }

  private lookFor(key: string): Look<T> {
    const { next } = this;
    const joinable = next !== undefined && (next.keys.size < this.mostKeys || next.keys.has(key));
    return joinable ? next : (this.next = this.lookAfter());
  }

  private lookAfter(): Look<T> {
    const keys = new Set<string>();
    const found = this.underWay
      .then(() => nextTurn())
      .then(() => {
        // From here on it is too late to join.
        if (this.next === look) this.next = undefined;
        return this.lookUp([...keys]);
      });
    this.underWay = found.catch(() => undefined);
    const look = { keys, found };
    return look;
  }
}
