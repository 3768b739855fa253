interface Look<T> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, T>>;
}

/**
 * Looks up by key, one look at a time: who asks while one is under way is served by the next, together with everybody else who does. So an
 * answer is never older than its question, and under load one statement serves many requests.
 */
export class Together<T> {
  private underWay: Promise<unknown> = Promise.resolve();
  private next: Look<T> | undefined;

  /** @param lookUp finds what there is of these keys, each named once; what it throws reaches everybody who was to be served */
  constructor(private readonly lookUp: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>) {}

  async find(key: string): Promise<T | undefined> {
    const look = (this.next ??= this.nextLook());
    look.keys.add(key);
    return (await look.found).get(key);
  }

  private nextLook(): Look<T> {
    const keys = new Set<string>();
    const found = this.underWay.then(() => {
      // From here on it is too late to join.
      this.next = undefined;
      return this.lookUp([...keys]);
    });
    this.underWay = found.catch(() => undefined);
    return { keys, found };
  }
}
