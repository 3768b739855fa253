import { FailureCounters, type FailureCost } from './failure-counters.js';

/** Slows whoever guesses secrets. Failures are counted for a client at an address, and for an address over all clients. */
export interface GuessLimitOptions extends Omit<FailureCost, 'free'> {
  /** Failures of one client at one address that cost nothing. */
  readonly freePerClient: number;
  /** Failures at one address, whatever the client, that cost nothing. */
  readonly freePerAddress: number;
}

/** A failure is forgotten in the time of the longest pause: whoever goes on guessing comes to one guess in that time, and stays there. */
export const GUESS_LIMITS: GuessLimitOptions = {
  freePerClient: 5,
  freePerAddress: 50,
  firstPauseMs: 1_000,
  longestPauseMs: 60_000,
  forgetOneMs: 60_000,
  capacity: 10_000,
};

/**
 * Memory of failed guesses. A client as such is never paused, only a client at an address: else anyone could lock a client out by
 * guessing badly in its name. An address stands for many clients where there is a proxy or a NAT, so it pays only for the failures that
 * are free to their client: a client that goes on failing is slowed by itself, and costs the others nothing more. Times are epoch
 * milliseconds and are given by the caller.
 */
export class GuessLimit {
  private readonly clients: FailureCounters;
  /** Apart from the clients: no flood of names can push an address out of memory. */
  private readonly addresses: FailureCounters;

  constructor(options: GuessLimitOptions = GUESS_LIMITS) {
    this.clients = new FailureCounters({ ...options, free: options.freePerClient });
    this.addresses = new FailureCounters({ ...options, free: options.freePerAddress });
  }

  /** How long this client at this address has to wait before its next guess is looked at; 0 for not at all. */
  pauseFor(clientId: string, address: string, now: number): number {
    return Math.max(this.ownPauseFor(clientId, address, now), this.addresses.pauseFor(address, now));
  }

  /**
   * The part of that pause which its own failures cost it, without those of others at the address. A client that is recognised without a
   * guess waits for this part alone.
   */
  ownPauseFor(clientId: string, address: string, now: number): number {
    return this.clients.pauseFor(nameOf(clientId, address), now);
  }

  failed(clientId: string, address: string, now: number): void {
    this.ownFailed(clientId, address, now);
    if (this.clients.isFree(nameOf(clientId, address), now)) this.addresses.count(address, now);
  }

  /** A failure that the address does not pay for. */
  ownFailed(clientId: string, address: string, now: number): void {
    this.clients.count(nameOf(clientId, address), now);
  }

  /** The right secret: this client at this address starts afresh; the address keeps what others cost it. */
  succeeded(clientId: string, address: string): void {
    this.clients.forget(nameOf(clientId, address));
  }

  /** Counters held now. */
  get size(): number {
    return this.clients.size + this.addresses.size;
  }
}

/** No address has a space. */
function nameOf(clientId: string, address: string): string {
  return `${address} ${clientId}`;
}
