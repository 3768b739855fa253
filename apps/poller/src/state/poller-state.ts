import { MARKET_INTERFACES, type DetectedEvent, type MarketInterface } from '@ssb/events';
import { DEFAULT_PREFIX } from '@ssb/queue';
import type { Redis } from 'ioredis';
import type { MarginState } from '../domain/margin.js';
import type { FencingToken } from '../lease/lease.js';

/**
 * Redis keys of one participant's poller.
 * @param prefix QUEUE_PREFIX
 */
export function pollerKeys(
  prefix: string,
  participant: string,
): {
  readonly lease: string;
  readonly fence: string;
  readonly state: string;
  /** The state of versions before QUEUE_PREFIX applied to it; undefined with another prefix than the default. */
  readonly formerState: string | undefined;
  readonly polls: string;
  readonly writable: string;
} {
  const base = `${prefix}:poller:${participant}`;
  return {
    lease: `${base}:lease`,
    fence: `${base}:fence`,
    state: `${base}:state`,
    formerState: prefix === DEFAULT_PREFIX ? `bridge:poller:{${participant}}:state` : undefined,
    polls: `${base}:polls`,
    writable: `${base}:writable`,
  };
}

/** Another replica leads; nothing was written. */
export class FencedOffError extends Error {
  override readonly name = 'FencedOffError';

  constructor(readonly token: FencingToken) {
    super(`The lease with token ${token} has ended and another replica leads; nothing was written`);
  }
}

/** A changed margin and its event, saved before the event is queued. */
export interface PendingMarginChange {
  readonly margin: MarginState;
  readonly event: DetectedEvent;
}

export interface PollerState {
  readonly margin: MarginState | undefined;
  /** Present only when a poller stopped before it had saved the new margin. */
  readonly pendingChange: PendingMarginChange | undefined;
  /** Keys of `fetchKey`: statements and invoices whose events are queued. */
  readonly seen: ReadonlySet<string>;
}

const MARGIN = 'margin';
const PENDING_CHANGE = 'pending-margin-change';

/**
 * Sets one field of a hash and deletes another, if the token is the latest. KEYS: token counter, hash.
 * @param ARGV token, field, value, field to delete
 * @returns 1 or 0
 */
const WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
if ARGV[4] ~= '' then redis.call('HDEL', KEYS[2], ARGV[4]) end
return 1`;

/**
 * Sets the fields of a hash that does not exist, if the token is the latest. KEYS: token counter, hash.
 * @param ARGV token, then fields and values
 * @returns 1 or 0
 */
const CREATE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end
for i = 2, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1`;

/** The poller's saved state, one Redis hash per participant. After its loss, events are detected again under the same ids. */
export class PollerStateStore {
  constructor(
    private readonly redis: Redis,
    private readonly keys: Pick<ReturnType<typeof pollerKeys>, 'fence' | 'state' | 'formerState' | 'polls'>,
  ) {}

  /** Reads the state. The first call after an upgrade copies the former one. @throws FencedOffError */
  async read(token: FencingToken): Promise<PollerState> {
    let fields = await this.redis.hgetall(this.keys.state);
    if (Object.keys(fields).length === 0 && (await this.copyFormerState(token)))
      fields = await this.redis.hgetall(this.keys.state);
    const { [MARGIN]: margin, [PENDING_CHANGE]: pendingChange, ...seen } = fields;
    return {
      margin: margin === undefined ? undefined : (JSON.parse(margin) as MarginState),
      pendingChange:
        pendingChange === undefined ? undefined : (JSON.parse(pendingChange) as PendingMarginChange),
      seen: new Set(Object.keys(seen)),
    };
  }

  /**
   * Saves a changed margin before its event is queued. The next calculation may differ, so a restarted poller queues the saved event first.
   * @throws FencedOffError
   */
  async savePendingChange(token: FencingToken, change: PendingMarginChange): Promise<void> {
    await this.write(token, PENDING_CHANGE, JSON.stringify(change));
  }

  /** Saves a margin whose event, if any, is queued, and deletes the pending change. @throws FencedOffError */
  async saveMargin(token: FencingToken, margin: MarginState): Promise<void> {
    await this.write(token, MARGIN, JSON.stringify(margin), PENDING_CHANGE);
  }

  /** Saves a statement or invoice whose event is queued; `version` is informational. @throws FencedOffError */
  async saveSeen(token: FencingToken, fetchKey: string, version: string): Promise<void> {
    await this.write(token, fetchKey, version);
  }

  /** When a poll of each interface last succeeded, RFC 3339 in UTC; also after a change of the leader. */
  async readLastSuccesses(): Promise<Readonly<Partial<Record<MarketInterface, string>>>> {
    const fields = await this.redis.hgetall(this.keys.polls);
    return Object.fromEntries(
      MARKET_INTERFACES.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])),
    );
  }

  /** @throws FencedOffError */
  async saveLastSuccess(token: FencingToken, name: MarketInterface, at: Date): Promise<void> {
    await this.write(token, name, at.toISOString(), '', this.keys.polls);
  }

  /** Two commands, because a cluster keeps the former hash in another slot. @returns whether there is a former state */
  private async copyFormerState(token: FencingToken): Promise<boolean> {
    const { fence, state, formerState } = this.keys;
    if (formerState === undefined) return false;
    const fields = Object.entries(await this.redis.hgetall(formerState)).flat();
    if (fields.length === 0) return false;
    const created = await this.redis.eval(CREATE, 2, fence, state, token, ...fields);
    if (created !== 1) throw new FencedOffError(token);
    return true;
  }

  private async write(
    token: FencingToken,
    field: string,
    value: string,
    deleted = '',
    key = this.keys.state,
  ): Promise<void> {
    const written = await this.redis.eval(WRITE, 2, this.keys.fence, key, token, field, value, deleted);
    if (written !== 1) throw new FencedOffError(token);
  }
}
