import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BusError } from '../errors/bus-error.js';

/** Senders that are remembered; the one that was silent for longest is evicted. */
const MAX_SENDERS = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 network of 64 bits: checking a signature costs far more than sending one. */
export class AttemptBudget {
  private readonly buckets = new LRUCache<string, { left: number; at: number }>({ max: MAX_SENDERS });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => Date,
  ) {}

  /** Takes one attempt of a network address; false when there is none left at the moment. */
  spend(address: string): boolean {
    const at = this.now().getTime();
    const sender = networkOf(address);
    const bucket = this.buckets.get(sender);
    const before = bucket?.left ?? this.perMinute;
    const earned = bucket ? (Math.max(0, at - bucket.at) * this.perMinute) / MINUTE_MS : 0;
    const available = Math.min(this.perMinute, before + earned);
    this.buckets.set(sender, { left: available < 1 ? available : available - 1, at });
    return available >= 1;
  }
}

/** Bounds the signed tokens that are verified for one network address. */
@Injectable()
export class AttemptGuard implements CanActivate {
  constructor(private readonly budget: AttemptBudget) {}

  /** @throws BusError BUS::TOO_MANY_REQUESTS when this network address has used its share of the minute */
  canActivate(context: ExecutionContext): true {
    if (this.budget.spend(context.switchToHttp().getRequest<{ readonly ip: string }>().ip)) return true;
    throw new BusError('BUS::TOO_MANY_REQUESTS', 'Too many signed tokens from this network address.');
  }
}

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What stands for one sender among network addresses, as Node writes them. An IPv4 address is one, also inside IPv6 (RFC 4291 §2.5.5.2). Of
 * an IPv6 address it is the first 64 bits: whoever has one of them has them all (RFC 4291 §2.5.1, RFC 6177 §2).
 */
export function networkOf(address: string): string {
  const [, mapped] = MAPPED.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const prefix = [...before, ...zeros, ...after].slice(0, 4);
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Sixteen bits each, hexadecimal. A zone (RFC 4007 §11) and an IPv4 tail stand behind the first 64 bits, so their form does not matter. */
function groups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
