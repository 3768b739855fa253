import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { RedisConnection } from '@ssb/redis-queue';
import type { LeaseShare } from './lease-share.js';
import type { FencingToken, PollerKeys } from '../state/poller-keys.js';

export interface LeaseOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'lease' | 'fence'>;
  readonly participant: string;
  /** Unique name of this replica. */
  readonly holder: string;
  /** Which replica holds the leases of several participants. */
  readonly share: LeaseShare;
  /** How long the lease outlives its holder. */
  readonly ttlMs: number;
  /** How often the holder renews it. Default three tenths of `ttlMs`. */
  readonly renewIntervalMs?: number;
  /** How often another replica tries to acquire it. Default a tenth of `ttlMs`. */
  readonly acquireIntervalMs?: number;
}

export interface LeaseListeners {
  /** Called when this replica acquires or loses the lease. */
  readonly onChange: (held: boolean) => void;
  /** Called when Redis does not respond. */
  readonly onError: (error: unknown) => void;
  /** Whether the lease must not be handed over now, because running work would delay its end. */
  readonly isBusy?: () => boolean;
}

/**
 * Lets one replica at a time poll for a participant. Redis compares the fencing token at each write, so a paused or disconnected leader
 * cannot overwrite the state of its successor.
 */
export class Lease {
  private term: { readonly token: FencingToken; readonly until: number } | undefined;
  private wasHeld = false;
  private listeners: LeaseListeners | undefined;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;
  /** Since when the lease is free although this replica may not acquire it, by the clock of `performance`. */
  private freeSince: number | undefined;

  constructor(private readonly options: LeaseOptions) {}

  /** Tries to acquire the lease until it succeeds, then renews it. */
  start(listeners: LeaseListeners): void {
    this.listeners = listeners;
    this.round = this.runRound();
  }

  /** The token of the current term; undefined when this replica does not lead, or the lease may have expired. */
  heldToken(): FencingToken | undefined {
    return this.term !== undefined && performance.now() < this.term.until ? this.term.token : undefined;
  }

  /** Releases the lease, so that another replica takes over at once. Repeatable. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
    if (this.heldToken() !== undefined) await this.release();
    else this.endTerm();
  }

  private async runRound(): Promise<void> {
    try {
      await (this.term === undefined ? this.tryAcquire() : this.keep(this.term.token));
    } catch (error) {
      this.listeners?.onError(error);
    }
    this.notifyChange();
    if (this.stopped) return;
    const { ttlMs, renewIntervalMs = ttlMs * 0.3, acquireIntervalMs = ttlMs * 0.1 } = this.options;
    const delayMs = this.heldToken() === undefined ? acquireIntervalMs : renewIntervalMs;
    this.timer = setTimeout(() => {
      this.round = this.runRound();
    }, delayMs);
  }

  private async tryAcquire(): Promise<void> {
    const { share, participant } = this.options;
    if (!share.begin(participant) && !(await this.isFreeForLong())) return;
    try {
      await this.acquire();
    } finally {
      if (this.term === undefined) share.end(participant);
    }
    this.freeSince = undefined;
  }

  /** Whether no replica acquires the lease, although each should: a replica has too many participants, or has ended. */
  private async isFreeForLong(): Promise<boolean> {
    const { redis, keys, ttlMs } = this.options;
    if ((await redis.exists(keys.lease)) === 1) {
      this.freeSince = undefined;
      return false;
    }
    this.freeSince ??= performance.now();
    return performance.now() - this.freeSince >= ttlMs / 2;
  }

  private async keep(token: FencingToken): Promise<void> {
    const { share, participant } = this.options;
    await this.renew(token);
    if (this.term === undefined || this.listeners?.isBusy?.() === true) return;
    if (share.handOver(participant)) await this.release();
  }

  private async release(): Promise<void> {
    this.endTerm();
    const { redis, keys, holder } = this.options;
    await redis.eval(RELEASE, 1, keys.lease, holder);
  }

  private endTerm(): void {
    this.term = undefined;
    this.notifyChange();
  }

  private async acquire(): Promise<void> {
    const { redis, keys, holder, ttlMs } = this.options;
    // Taken before the request: Redis starts the time to live before its response arrives.
    const requestedAt = performance.now();
    const args = [holder, ttlMs, numberOf(holder)];
    const token = await redis.eval(ACQUIRE, 2, keys.lease, keys.fence, ...args);
    if (typeof token === 'string') this.term = { token: token as FencingToken, until: requestedAt + ttlMs };
  }

  private async renew(token: FencingToken): Promise<void> {
    const { redis, keys, holder, ttlMs } = this.options;
    const requestedAt = performance.now();
    const renewed = await redis.eval(RENEW, 2, keys.lease, keys.fence, holder, ttlMs, token);
    this.term = renewed === 1 ? { token, until: requestedAt + ttlMs } : undefined;
  }

  private notifyChange(): void {
    const held = this.heldToken() !== undefined;
    if (held === this.wasHeld) return;
    this.wasHeld = held;
    const { share, participant } = this.options;
    if (held) share.take(participant);
    else share.end(participant);
    this.listeners?.onChange(held);
  }
}

// Each step is one Lua script, because Redis runs a script atomically. KEYS: lease (value: holder; expires), latest token (does not expire).

/** Each holder has its own tokens of a term. A server that did not receive the last term thus issues no token twice. */
const TOKENS_OF_TERM = 2_048;

/**
 * Acquires a free lease, or returns the caller's own. A token is term * TOKENS_OF_TERM + number of the holder. A new term is at least the
 * server's clock, so that a Redis that lost its data issues no earlier token again.
 * @param ARGV holder, time to live (ms), number of the holder
 * @returns the fencing token, or nil
 */
const ACQUIRE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return nil end
local current = redis.call('GET', KEYS[2])
if holder and current then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return current
end
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
local next = math.floor((tonumber(current) or 0) / ${TOKENS_OF_TERM}) + 1
local token = string.format('%.0f', math.max(clock, next) * ${TOKENS_OF_TERM} + ARGV[3])
redis.call('SET', KEYS[2], token)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return token`;

/** From 0 to 2,047. Two holders have the same number with a probability of 1 in 2,048. */
function numberOf(holder: string): number {
  return createHash('sha256').update(holder).digest().readUInt16BE() % TOKENS_OF_TERM;
}

/**
 * Renews the caller's lease if its token is the latest. After a loss of the counter the holder must acquire again, because its writes are
 * refused.
 * @param ARGV holder, time to live (ms), token
 * @returns 1 or 0
 */
const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] or redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/**
 * Releases the caller's lease.
 * @param ARGV holder
 * @returns 1 or 0
 */
const RELEASE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;
