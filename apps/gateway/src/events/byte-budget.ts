/** One client that shares a budget. */
export interface BudgetHolder {
  /** Called when the budget is exceeded and this client holds the most of it. */
  evict(): void;
}

interface Account {
  bytes: number;
  /** Whether the holder was evicted. Its bytes no longer count. */
  closed: boolean;
}

/**
 * Limits the bytes that wait for all clients together, in one direction.
 * Above the limit the client with the most bytes is evicted, so that slow clients do not use the memory of all.
 */
export class ByteBudget {
  private readonly accounts = new Map<BudgetHolder, Account>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** @returns a function that releases the bytes; call it once */
  reserve(holder: BudgetHolder, bytes: number): () => void {
    const account = this.accounts.get(holder) ?? { bytes: 0, closed: false };
    this.accounts.set(holder, account);
    account.bytes += bytes;
    this.total += bytes;
    while (this.total > this.limit) this.evictLargest();
    return () => this.release(holder, account, bytes);
  }

  private release(holder: BudgetHolder, account: Account, bytes: number): void {
    if (account.closed) return;
    account.bytes -= bytes;
    this.total -= bytes;
    // Releasing zero bytes may find that the account was removed before and replaced by another.
    if (account.bytes === 0 && this.accounts.get(holder) === account) this.accounts.delete(holder);
  }

  private evictLargest(): void {
    const [first, ...others] = this.accounts;
    if (first === undefined) throw new Error('the budget has no holders');
    let largest = first;
    for (const each of others) if (each[1].bytes > largest[1].bytes) largest = each;
    const [holder, account] = largest;
    this.accounts.delete(holder);
    account.closed = true;
    this.total -= account.bytes;
    holder.evict();
  }
}
