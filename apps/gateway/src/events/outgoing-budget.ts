/** Whoever has bytes on their way to its socket. */
export interface Holder {
  /** It is let go; what it has not taken comes again when it is back. */
  tooSlow(): void;
}

/**
 * Bytes that wait for all sockets together. When they are too many, the one that most of them wait for is let go: a few clients that do
 * not read must not take the memory of all.
 */
export class OutgoingBudget {
  private readonly held = new Map<Holder, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** @returns to be called once, when the socket has taken them or is gone */
  take(holder: Holder, bytes: number): () => void {
    this.change(holder, bytes);
    if (this.total > this.limit) this.largest()?.tooSlow();
    return () => this.change(holder, -bytes);
  }

  private change(holder: Holder, bytes: number): void {
    this.total += bytes;
    const now = (this.held.get(holder) ?? 0) + bytes;
    if (now > 0) this.held.set(holder, now);
    else this.held.delete(holder);
  }

  private largest(): Holder | undefined {
    let largest: Holder | undefined;
    let most = 0;
    for (const [holder, bytes] of this.held) {
      if (bytes > most) [largest, most] = [holder, bytes];
    }
    return largest;
  }
}
