import { FailureCounters, type FailureLimits } from './failure-counters.js';

export interface LoginThrottleOptions extends Omit<FailureLimits, 'free'> {
  /** Failures of one client at one address without a pause. */
  readonly freePerClient: number;
  /** Failures at one address, over all clients, without a pause. */
  readonly freePerAddress: number;
}

/** One failure is forgotten in the time of the longest pause, so continued guessing settles at one guess in that time. */
export const LOGIN_LIMITS: LoginThrottleOptions = {
  freePerClient: 5,
  freePerAddress: 50,
  minPauseMs: 1_000,
  maxPauseMs: 60_000,
  forgetOneMs: 60_000,
  capacity: 10_000,
};

/**
 * Slows down guessing of secrets. Failures count for a client at one address, so others cannot lock that client out, and for the address
 * itself. Times are epoch milliseconds.
 */
export class LoginThrottle {
  private readonly clients: FailureCounters;
  /** Separate from the clients: many client names cannot evict an address. */
  private readonly addresses: FailureCounters;

  constructor(options: LoginThrottleOptions = LOGIN_LIMITS) {
    this.clients = new FailureCounters({ ...options, free: options.freePerClient });
    this.addresses = new FailureCounters({ ...options, free: options.freePerAddress });
  }

  /** How long this client at this address waits before its next login is verified, milliseconds; 0 for no wait. */
  pauseFor(clientId: string, address: string, now: number): number {
    return Math.max(this.clientPauseFor(clientId, address, now), this.addresses.pauseFor(address, now));
  }

  /** The same without the failures of other clients at the address, for a client whose secret is already known to be right. */
  clientPauseFor(clientId: string, address: string, now: number): number {
    return this.clients.pauseFor(clientKey(clientId, address), now);
  }

  /** Only the free failures of a client count for its address: one failing client does not slow down the others behind a proxy. */
  failed(clientId: string, address: string, now: number): void {
    this.clientFailed(clientId, address, now);
    if (this.clients.isFree(clientKey(clientId, address), now)) this.addresses.count(address, now);
  }

  /** A failure that does not count for the address. */
  clientFailed(clientId: string, address: string, now: number): void {
    this.clients.count(clientKey(clientId, address), now);
  }

  /** Forgets the failures of this client at this address. The address keeps its own count. */
  succeeded(clientId: string, address: string): void {
    this.clients.forget(clientKey(clientId, address));
  }

  /** Number of counters. */
  get size(): number {
    return this.clients.size + this.addresses.size;
  }
}

/** An address contains no space, so the key is unique. */
function clientKey(clientId: string, address: string): string {
  return `${address} ${clientId}`;
}
