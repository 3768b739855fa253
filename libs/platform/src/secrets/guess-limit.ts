/** Slows whoever guesses secrets. Failures are counted for a client at an address, and for an address over all clients. */
export interface GuessLimitOptions {
  /** Failures of one client at one address that cost nothing. */
  readonly freePerClient: number;
  /** Failures at one address, whatever the client, that cost nothing. */
  readonly freePerAddress: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How many counters are kept; the one that was used longest ago goes first. */
  readonly capacity: number;
}

export const GUESS_LIMITS: GuessLimitOptions = {
  freePerClient: 5,
  freePerAddress: 50,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  capacity: 10_000,
};

interface Counter {
  failures: number;
  /** Epoch milliseconds. */
  pausedUntil: number;
}

/**
 * Memory of failed guesses. A client as such is never paused, only a client at an address: else anyone could lock a
 * client out by guessing badly in its name. Times are epoch milliseconds and are given by the caller.
 */
export class GuessLimit {
  private readonly counters = new Map<string, Counter>();

  constructor(private readonly options: GuessLimitOptions = GUESS_LIMITS) {}

  /** How long this client at this address has to wait before its next guess is looked at; 0 for not at all. */
  pauseFor(clientId: string, address: string, now: number): number {
    return Math.max(this.ownPauseFor(clientId, address, now), this.pauseOf(addressKey(address), now));
  }

  /** The part of that pause which its own failures cost it, without those of others at the address. */
  ownPauseFor(clientId: string, address: string, now: number): number {
    return this.pauseOf(clientKey(clientId, address), now);
  }

  failed(clientId: string, address: string, now: number): void {
    this.ownFailed(clientId, address, now);
    this.count(addressKey(address), this.options.freePerAddress, now);
  }

  /** A failure that the address does not pay for. */
  ownFailed(clientId: string, address: string, now: number): void {
    this.count(clientKey(clientId, address), this.options.freePerClient, now);
  }

  /** The right secret: this client at this address starts afresh; the address keeps what others cost it. */
  succeeded(clientId: string, address: string): void {
    this.counters.delete(clientKey(clientId, address));
  }

  /** Counters held now. */
  get size(): number {
    return this.counters.size;
  }

  private pauseOf(key: string, now: number): number {
    return Math.max(0, (this.counters.get(key)?.pausedUntil ?? 0) - now);
  }

  private count(key: string, free: number, now: number): void {
    const failures = (this.counters.get(key)?.failures ?? 0) + 1;
    const pause = failures <= free ? 0 : this.options.firstPauseMs * 2 ** Math.min(failures - free - 1, 20);
    this.remember(key, { failures, pausedUntil: now + Math.min(pause, this.options.longestPauseMs) });
  }

  /** A Map keeps the order of insertion, so re-inserting makes its first key the one used longest ago. */
  private remember(key: string, counter: Counter): void {
    this.counters.delete(key);
    this.counters.set(key, counter);
    const [oldest] = this.counters.keys();
    if (this.counters.size > this.options.capacity && oldest !== undefined) this.counters.delete(oldest);
  }
}

function addressKey(address: string): string {
  return `address ${address}`;
}

function clientKey(clientId: string, address: string): string {
  return `client ${address} ${clientId}`;
}
