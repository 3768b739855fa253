import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BusError } from '../errors/bus-error.js';

/** The least recently active network is evicted. */
const MAX_NETWORKS = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 /64 network, as verifying a signature costs far more than sending one. */
export class AttemptRateLimiter {
  private readonly buckets = new LRUCache<string, { left: number; at: number }>({ max: MAX_NETWORKS });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => Date,
  ) {}

  /** False when the address has no attempt left at the moment. */
  tryAcquire(address: string): boolean {
    const at = this.now().getTime();
    const network = toNetwork(address);
    const bucket = this.buckets.get(network);
    const before = bucket?.left ?? this.perMinute;
    const refilled = bucket ? (Math.max(0, at - bucket.at) * this.perMinute) / MINUTE_MS : 0;
    const available = Math.min(this.perMinute, before + refilled);
    this.buckets.set(network, { left: available < 1 ? available : available - 1, at });
    return available >= 1;
  }
}

/** Limits how many signed tokens are verified for one network address. */
@Injectable()
export class AttemptRateLimitGuard implements CanActivate {
  constructor(private readonly limiter: AttemptRateLimiter) {}

  /** @throws BusError BUS::TOO_MANY_REQUESTS when the address has used its attempts of the minute */
  canActivate(context: ExecutionContext): true {
    const { ip } = context.switchToHttp().getRequest<{ readonly ip: string }>();
    if (this.limiter.tryAcquire(ip)) return true;
    throw new BusError('BUS::TOO_MANY_REQUESTS', 'Too many signed tokens from this network address.');
  }
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * An IPv4 address itself, also one mapped into IPv6 (RFC 4291 §2.5.5.2).
 * Of an IPv6 address the first 64 bits, as one client has all addresses of such a network (RFC 6177 §2).
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

/** Groups of 16 bits, hexadecimal. A zone (RFC 4007 §11) or IPv4 tail comes after the first 64 bits, so its form does not matter. */
function splitGroups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
