/** Whoever bytes wait for. */
export interface Holder {
  /** It holds more than any other while all together hold too much. */
  letGo(): void;
}

interface Account {
  bytes: number;
  /** Let go: what it held is free, or will be in a moment. */
  closed: boolean;
}

/**
 * Bytes that wait for all clients together, in one direction. When they are too many, the one that most of them wait for is let go: a few
 * clients that do not read, or send more than the broker takes, must not take the memory of all. It is told once, and what it held no
 * longer counts, so that nobody else goes in its stead.
 */
export class ByteBudget {
  private readonly accounts = new Map<Holder, Account>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** @returns to be called once, when they wait no more */
  take(holder: Holder, bytes: number): () => void {
    const account = this.accounts.get(holder) ?? { bytes: 0, closed: false };
    this.accounts.set(holder, account);
    account.bytes += bytes;
    this.total += bytes;
    while (this.total > this.limit) this.letLargestGo();
    return () => this.giveBack(holder, account, bytes);
  }

  private giveBack(holder: Holder, account: Account, bytes: number): void {
    if (account.closed) return;
    account.bytes -= bytes;
    this.total -= bytes;
    // Of nothing there may have been an account before, given up since: another may stand in its place.
    if (account.bytes === 0 && this.accounts.get(holder) === account) this.accounts.delete(holder);
  }

  private letLargestGo(): void {
    const [first, ...others] = this.accounts;
    if (first === undefined) throw new Error('bytes wait for nobody');
    let largest = first;
    for (const each of others) if (each[1].bytes > largest[1].bytes) largest = each;
    const [holder, account] = largest;
    this.accounts.delete(holder);
    account.closed = true;
    this.total -= account.bytes;
    holder.letGo();
  }
}
