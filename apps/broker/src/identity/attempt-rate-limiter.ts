import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { TokenBuckets, toNetwork } from '@ssb/platform';
import { BusError } from '../errors/bus-error.js';

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 /64 network. It limits a client that sends many signatures to load the broker. */
export class AttemptRateLimiter {
  private readonly buckets: TokenBuckets;

  constructor(
    perMinute: number,
    private readonly now: () => Date,
  ) {
    this.buckets = new TokenBuckets({ capacity: perMinute, refillMs: MINUTE_MS / perMinute });
  }

  /** Uses one attempt of the address. @returns false when none is left */
  tryAcquire(address: string): boolean {
    const now = this.now().getTime();
    const network = toNetwork(address);
    if (this.buckets.waitFor(network, now) > 0) return false;
    this.buckets.take(network, now);
    return true;
  }
}

/** Limits how many signed tokens are verified for one network address. */
@Injectable()
export class AttemptRateLimitGuard implements CanActivate {
  constructor(private readonly limiter: AttemptRateLimiter) {}

  /** @throws BusError BUS::TOO_MANY_REQUESTS when the address has no attempt left */
  canActivate(context: ExecutionContext): true {
    const { ip } = context.switchToHttp().getRequest<{ readonly ip: string }>();
    if (this.limiter.tryAcquire(ip)) return true;
    throw new BusError('BUS::TOO_MANY_REQUESTS', 'Too many signed tokens from this network address.');
  }
}
