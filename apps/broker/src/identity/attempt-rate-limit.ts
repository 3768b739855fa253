import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BusError } from '../errors/bus-error.js';

/** The least recently active network is evicted. */
const MAX_NETWORKS = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 /64 network. It limits a client that sends many signatures to load the broker. */
export class AttemptRateLimiter {
  private readonly buckets = new LRUCache<string, { tokens: number; refilledAt: number }>({
    max: MAX_NETWORKS,
  });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => Date,
  ) {}

  /** Uses one attempt of the address. @returns false when none is left */
  tryAcquire(address: string): boolean {
    const now = this.now().getTime();
    const network = toNetwork(address);
    const bucket = this.buckets.get(network);
    const before = bucket?.tokens ?? this.perMinute;
    const refilled = bucket ? (Math.max(0, now - bucket.refilledAt) * this.perMinute) / MINUTE_MS : 0;
    const available = Math.min(this.perMinute, before + refilled);
    this.buckets.set(network, { tokens: available < 1 ? available : available - 1, refilledAt: now });
    return available >= 1;
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

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns an IPv4 address unchanged, also when it is mapped into IPv6 (RFC 4291 §2.5.5.2).
 * Returns the /64 network of an IPv6 address, because one client can use all its addresses (RFC 6177 §2).
 */
export function toNetwork(address: string): string {
  const [, mapped] = MAPPED_IPV4.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = splitGroups(head);
  const after = tail === undefined ? [] : splitGroups(tail);
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const prefix = [...before, ...zeros, ...after].slice(0, 4);
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Splits into 16-bit groups. A zone id (RFC 4007 §11) or IPv4 suffix stays unparsed, because `toNetwork` uses only the first 64 bits. */
function splitGroups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
