import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import { watchServer, type DiscardedValue, type RedisConnection } from '@ssb/redis-queue';
import { z } from 'zod';
import type { FencingToken } from '../lease/lease.js';
import { FencedHash } from './fenced-hash.js';
import { parsePendingDetection, type PendingDetection } from './pending-detection.js';
import type { PollerKeys } from './poller-keys.js';

export interface PollerStateOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'fence' | 'state' | 'polls'>;
  readonly integrityKeys: KeySource;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
}

/** Parts of the state that do not belong to settlement. */
export const POSITION_PART = 'position';
export const accessPart = (name: MarketInterface): string => `access:${name}`;

const PENDING_PREFIX = 'pending:';
const OTHER_PARTS = [POSITION_PART, ...MARKET_INTERFACES.map(accessPart)];

/** What is saved: the states of the parts by name, and detections that were interrupted before their events were queued. */
export interface SavedState {
  readonly parts: ReadonlyMap<string, string>;
  /** By name of the part. */
  readonly pending: ReadonlyMap<string, PendingDetection>;
  /** Parts that another client changed or deleted in Redis. Their states are what this process knows. */
  readonly altered: ReadonlySet<string>;
}

/**
 * The poller's saved state, one Redis hash per participant. Each value carries a message authentication code. After a loss, or when a value
 * was discarded, events are detected again under the same ids.
 */
export class PollerStateStore {
  private readonly state: FencedHash;
  private readonly polls: FencedHash;
  /** Changes with each new connection, after which Redis may hold earlier values. */
  readonly currentServer: () => number;

  constructor({ redis, keys, integrityKeys, onDiscarded }: PollerStateOptions) {
    const authenticator = new ContentAuthenticator(integrityKeys, 'poller-state');
    const open = (key: string): FencedHash =>
      new FencedHash({ redis, key, fenceKey: keys.fence, authenticator, onDiscarded });
    this.state = open(keys.state);
    this.currentServer = watchServer(redis, keys.state);
    this.polls = open(keys.polls);
  }

  /** @throws FencedOffError */
  async readPosition(token: FencingToken): Promise<SavedState> {
    return this.readPart(token, POSITION_PART);
  }

  /** @throws FencedOffError */
  async readAccess(token: FencingToken, name: MarketInterface): Promise<SavedState> {
    return this.readPart(token, accessPart(name));
  }

  /** The timeline, and the statements, invoices and estimations that were seen. @throws FencedOffError */
  async readSettlement(token: FencingToken): Promise<SavedState> {
    const except = [...OTHER_PARTS, ...OTHER_PARTS.map(pendingField)];
    return toSavedState([...(await this.state.readAll(token, except, isUsable))]);
  }

  /**
   * Saves a detection before its events are queued. The next answer may differ, so a restarted poller queues these events first.
   * @throws FencedOffError
   */
  async savePending(token: FencingToken, part: string, detection: PendingDetection): Promise<void> {
    await this.state.write(token, pendingField(part), JSON.stringify(detection));
  }

  /** Saves the state of a part whose events, if any, are queued. @throws FencedOffError */
  async savePart(token: FencingToken, part: string, state: string): Promise<void> {
    await this.state.write(token, part, state, [pendingField(part)]);
  }

  /** @throws FencedOffError */
  async deleteParts(token: FencingToken, parts: readonly string[]): Promise<void> {
    await this.state.delete(token, parts);
  }

  private async readPart(token: FencingToken, part: string): Promise<SavedState> {
    const readings = await this.state.readFields(token, [part, pendingField(part)], isUsable);
    const altered = new Set([...readings].flatMap(([field, { isAltered }]) => (isAltered ? [field] : [])));
    return toSavedState(
      [...readings].flatMap(([field, { content }]) => (content === undefined ? [] : [[field, content]])),
      altered,
    );
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

function pendingField(part: string): string {
  return `${PENDING_PREFIX}${part}`;
}

/** Each detector checks the content of its own part. */
function isUsable(content: string, field: string): boolean {
  return !isPendingField(field) || parsePendingDetection(content) !== undefined;
}

function toSavedState(
  fields: readonly (readonly string[])[],
  altered: ReadonlySet<string> = new Set(),
): SavedState {
  const parts = new Map<string, string>();
  const pending = new Map<string, PendingDetection>();
  for (const [field = '', content = ''] of fields) {
    const detection = isPendingField(field) ? parsePendingDetection(content) : undefined;
    if (detection !== undefined) pending.set(field.slice(PENDING_PREFIX.length), detection);
    else parts.set(field, content);
  }
  return { parts, pending, altered };
}

function isPendingField(field: string): boolean {
  return field.startsWith(PENDING_PREFIX);
}
