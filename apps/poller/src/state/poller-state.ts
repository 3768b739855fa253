import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/key-ring';
import type { DiscardedValue, RedisConnection } from '@ssb/redis';
import { z } from 'zod';
import { parseMarginState, parsePendingChange, type PendingMarginChange } from '../domain/saved-margin.js';
import type { MarginState } from '../domain/margin.js';
import type { FencingToken } from '../lease/lease.js';
import { FencedHash } from './fenced-hash.js';
import type { PollerKeys } from './poller-keys.js';

export interface PollerStateOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'fence' | 'state' | 'polls'>;
  readonly integrityKeys: KeySource;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
}

export interface SavedMargin {
  readonly margin: MarginState | undefined;
  /** Another client changed or deleted the saved margin; `margin` is what this process knows. */
  readonly isAltered: boolean;
  /** Present only when a poller stopped before it had saved the new margin. */
  readonly pendingChange: PendingMarginChange | undefined;
}

const MARGIN = 'margin';
const PENDING_CHANGE = 'pending-margin-change';

/**
 * The poller's saved state, one Redis hash per participant. Each value carries a message authentication code. After a loss, or when a value
 * was discarded, events are detected again under the same ids.
 */
export class PollerStateStore {
  private readonly state: FencedHash;
  private readonly polls: FencedHash;

  constructor({ redis, keys, integrityKeys, onDiscarded }: PollerStateOptions) {
    const authenticator = new ContentAuthenticator(integrityKeys, 'poller-state');
    const open = (key: string): FencedHash =>
      new FencedHash({ redis, key, fenceKey: keys.fence, authenticator, onDiscarded });
    this.state = open(keys.state);
    this.polls = open(keys.polls);
  }

  /** @throws FencedOffError */
  async readMargin(token: FencingToken): Promise<SavedMargin> {
    const fields = await this.state.readFields(token, [MARGIN, PENDING_CHANGE], (content, field) =>
      field === MARGIN ? parseMarginState(content) !== undefined : parsePendingChange(content) !== undefined,
    );
    const { content: margin, isAltered = false } = fields.get(MARGIN) ?? {};
    const pendingChange = fields.get(PENDING_CHANGE)?.content;
    return {
      margin: margin === undefined ? undefined : parseMarginState(margin),
      isAltered,
      pendingChange: pendingChange === undefined ? undefined : parsePendingChange(pendingChange),
    };
  }

  /** Keys of `fetchKey`: statements and invoices whose events are queued. @throws FencedOffError */
  async readSeen(token: FencingToken): Promise<ReadonlySet<string>> {
    return this.state.listFields(token, [MARGIN, PENDING_CHANGE]);
  }

  /**
   * Saves a changed margin before its event is queued. The next calculation may differ, so a restarted poller queues the saved event first.
   * @throws FencedOffError
   */
  async savePendingChange(token: FencingToken, change: PendingMarginChange): Promise<void> {
    await this.state.write(token, PENDING_CHANGE, JSON.stringify(change));
  }

  /** Saves a margin whose event, if any, is queued, and deletes the pending change. @throws FencedOffError */
  async saveMargin(token: FencingToken, margin: MarginState): Promise<void> {
    await this.state.write(token, MARGIN, JSON.stringify(margin), PENDING_CHANGE);
  }

  /** Saves a statement or invoice whose event is queued; `version` is informational. @throws FencedOffError */
  async saveSeen(token: FencingToken, fetchKey: string, version: string): Promise<void> {
    await this.state.write(token, fetchKey, version);
  }

  /**
   * When a poll of each interface last succeeded, RFC 3339 in UTC; also after a change of the leader.
   * @throws FencedOffError
   */
  async readLastSuccesses(token: FencingToken): Promise<Readonly<Partial<Record<MarketInterface, string>>>> {
    const isTime = (content: string): boolean => z.iso.datetime().safeParse(content).success;
    const fields = await this.polls.readFields(token, MARKET_INTERFACES, isTime);
    return Object.fromEntries(
      [...fields].flatMap(([name, { content }]) => (content === undefined ? [] : [[name, content]])),
    );
  }

  /** @throws FencedOffError */
  async saveLastSuccess(token: FencingToken, name: MarketInterface, at: Date): Promise<void> {
    await this.polls.write(token, name, at.toISOString());
  }
}
