import type { DetectedEvent } from '@ssb/events';
import type { Redis } from 'ioredis';
import type { MarginState } from '../domain/margin.js';
import type { FencingToken } from '../lease/lease.js';

/** Redis keys of one participant's poller. The braces are a hash tag, so a cluster keeps them in one slot. */
export function pollerKeys(participant: string): {
  readonly lease: string;
  readonly fence: string;
  readonly state: string;
} {
  const base = `bridge:poller:{${participant}}`;
  return { lease: `${base}:lease`, fence: `${base}:fence`, state: `${base}:state` };
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
 * Sets one field of the state and deletes another, if the token is the latest. KEYS: token counter, state.
 * @param ARGV token, field, value, field to delete
 * @returns 1 or 0
 */
const WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
if ARGV[4] ~= '' then redis.call('HDEL', KEYS[2], ARGV[4]) end
return 1`;

/** The poller's saved state, one Redis hash per participant. After its loss, events are detected again under the same ids. */
export class PollerStateStore {
  constructor(
    private readonly redis: Redis,
    private readonly keys: { readonly fence: string; readonly state: string },
  ) {}

  async read(): Promise<PollerState> {
    const fields = await this.redis.hgetall(this.keys.state);
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

  private async write(token: FencingToken, field: string, value: string, deleted = ''): Promise<void> {
    const { fence, state } = this.keys;
    const written = await this.redis.eval(WRITE, 2, fence, state, token, field, value, deleted);
    if (written !== 1) throw new FencedOffError(token);
  }
}
