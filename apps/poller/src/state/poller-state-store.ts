import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import {
  AuthenticatedHash,
  isWrongTypeError,
  watchServer,
  type DiscardedValue,
  type Fence,
  type HashReading,
  type RedisConnection,
} from '@ssb/redis-queue';
import { z } from 'zod';
import { FencedOffError, type FencingToken, type PollerKeys } from './poller-keys.js';
import {
  accessPart,
  isUsablePart,
  OTHER_PARTS,
  pendingField,
  POSITION_PART,
  toSavedState,
  type PendingDetection,
  type SavedState,
} from './saved-state.js';

export interface PollerStateOptions {
  readonly redis: RedisConnection;
  readonly keys: Pick<PollerKeys, 'fence' | 'state' | 'polls'>;
  readonly integrityKeys: KeySource;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
}

/** What this process last wrote or verified; undefined for a field that is not stored. */
interface KnownField {
  readonly content: string | undefined;
}

/** A field as this process knows it, otherwise as it is stored. */
interface FieldReading extends KnownField {
  /** Another client changed or deleted the field. */
  readonly isAltered: boolean;
}

/**
 * The poller's saved state of one participant, in Redis. Each write carries the fencing token, so only the leader writes. Each value carries
 * a message authentication code: what another client wrote, copied or put back is deleted and reported, and its facts are detected again.
 */
export class PollerStateStore {
  /** Changes with each new connection, after which Redis may hold earlier values. */
  readonly currentServer: () => number;
  private readonly state: AuthenticatedHash;
  /** When a poll of each interface last succeeded. */
  private readonly polls: AuthenticatedHash;
  /** Valid within one term of the lease and one connection. A stored value that differs was written by another client. */
  private known: {
    readonly token?: FencingToken;
    readonly server?: number;
    readonly fields: Map<string, KnownField>;
  } = { fields: new Map() };

  constructor(private readonly options: PollerStateOptions) {
    const { redis, keys, integrityKeys } = options;
    const authenticator = new ContentAuthenticator(integrityKeys, 'poller-state');
    this.state = new AuthenticatedHash(redis, keys.state, authenticator);
    this.polls = new AuthenticatedHash(redis, keys.polls, authenticator);
    this.currentServer = watchServer(redis, keys.state);
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
    const reading = await this.state.readAll(except, this.fenceOf(token));
    discardUnusable(reading, isUsablePart);
    await this.applyReading(this.state, token, reading);
    return toSavedState([...reading.values].map(([field, { content }]) => [field, content]));
  }

  /**
   * Saves a detection before its events are queued. The next response may differ, so a restarted poller queues these events first.
   * @throws FencedOffError
   */
  async savePending(token: FencingToken, part: string, detection: PendingDetection): Promise<void> {
    await this.write(this.state, token, pendingField(part), JSON.stringify(detection));
  }

  /** Saves the state of a part whose events, if any, are queued. @throws FencedOffError */
  async savePart(token: FencingToken, part: string, state: string): Promise<void> {
    await this.write(this.state, token, part, state, pendingField(part));
  }

  /** @throws FencedOffError */
  async deleteParts(token: FencingToken, parts: readonly string[]): Promise<void> {
    const { redis, keys } = this.options;
    for (let index = 0; index < parts.length; index += MAX_DELETED_FIELDS) {
      const batch = parts.slice(index, index + MAX_DELETED_FIELDS);
      for (const part of batch) this.knownFields(token).delete(nameOf(this.state, part));
      const deleted = await redis.eval(DELETE, 2, keys.fence, keys.state, token, ...batch);
      if (deleted !== 1) throw new FencedOffError(token);
    }
  }

  /**
   * When a poll of each interface last succeeded, RFC 3339 in UTC; also after a change of the leader.
   * @throws FencedOffError
   */
  async readLastSuccesses(token: FencingToken): Promise<Readonly<Partial<Record<MarketInterface, string>>>> {
    const isTime = (content: string): boolean => z.iso.datetime().safeParse(content).success;
    const fields = await this.readFields(this.polls, token, MARKET_INTERFACES, isTime);
    return Object.fromEntries(
      [...fields].flatMap(([name, { content }]) => (content ? [[name, content]] : [])),
    );
  }

  /** @throws FencedOffError */
  async saveLastSuccess(token: FencingToken, name: MarketInterface, at: Date): Promise<void> {
    await this.write(this.polls, token, name, at.toISOString());
  }

  private async readPart(token: FencingToken, part: string): Promise<SavedState> {
    const fields = await this.readFields(this.state, token, [part, pendingField(part)], isUsablePart);
    const contents = [...fields].flatMap(([field, { content }]) =>
      content === undefined ? [] : [[field, content] as const],
    );
    const altered = [...fields].flatMap(([field, { isAltered }]) => (isAltered ? [field] : []));
    return toSavedState(contents, new Set(altered));
  }

  private async readFields(
    hash: AuthenticatedHash,
    token: FencingToken,
    fields: readonly string[],
    isUsable: (content: string, field: string) => boolean,
  ): Promise<ReadonlyMap<string, FieldReading>> {
    const known = this.knownFields(token);
    const before = fields.map((field) => known.get(nameOf(hash, field)));
    const reading = await hash.read(fields, this.fenceOf(token));
    discardUnusable(reading, isUsable);
    // Otherwise the connection, the server or the term changed during the reading.
    const isComparable = known === this.known.fields && this.known.server === this.currentServer();
    const readings = new Map<string, FieldReading>();
    for (const [index, field] of fields.entries()) {
      const [name, stored] = [nameOf(hash, field), reading.values.get(field)?.content];
      const { content } = (isComparable ? known.get(name) : undefined) ?? { content: stored };
      // Otherwise a write has begun since the reading did.
      const isUnwritten = isComparable && known.get(name) === before[index];
      if (isUnwritten) known.set(name, { content });
      const isAltered = isUnwritten && content !== stored;
      if (isAltered) reading.discard(field, 'rolled-back');
      readings.set(field, { content, isAltered });
    }
    await this.applyReading(hash, token, reading);
    return readings;
  }

  private async write(
    hash: AuthenticatedHash,
    token: FencingToken,
    field: string,
    content: string,
    deletedField?: string,
  ): Promise<void> {
    const { redis, keys } = this.options;
    const deleted = deletedField === undefined ? [] : [deletedField];
    const known = this.knownFields(token);
    // A write that fails may be stored, so the fields are unknown until it has succeeded.
    for (const each of [field, ...deleted]) known.delete(nameOf(hash, each));
    const args = [keys.fence, hash.key, token, field, hash.toText(field, content), ...deleted];
    const store = (): Promise<unknown> => redis.eval(WRITE, 2, ...args);
    const written = await store().catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      // The reading deletes a key that is not a hash.
      await this.applyReading(hash, token, await hash.read([field], this.fenceOf(token)));
      return store();
    });
    if (written !== 1) throw new FencedOffError(token);
    known.set(nameOf(hash, field), { content });
    for (const each of deleted) known.set(nameOf(hash, each), { content: undefined });
  }

  /** Reports after the deletion: the fence then shows that no later leader wrote the values. */
  private async applyReading(
    hash: AuthenticatedHash,
    token: FencingToken,
    reading: HashReading,
  ): Promise<void> {
    if (!(await hash.apply(reading, this.fenceOf(token)))) throw new FencedOffError(token);
    if (reading.discarded.length > 0) this.options.onDiscarded(reading.discarded);
  }

  private knownFields(token: FencingToken): Map<string, KnownField> {
    const server = this.currentServer();
    if (token !== this.known.token || server !== this.known.server)
      this.known = { token, server, fields: new Map() };
    return this.known.fields;
  }

  private fenceOf(token: FencingToken): Fence {
    return { key: this.options.keys.fence, token };
  }
}

/**
 * Sets one field of a hash and deletes others, if the token is the latest. KEYS: token counter, hash.
 * @param ARGV token, field, value, fields to delete
 * @returns 1 or 0
 */
const WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
for i = 4, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
return 1`;

/**
 * Deletes fields of a hash, if the token is the latest. KEYS: token counter, hash.
 * @param ARGV token, fields
 * @returns 1 or 0
 */
const DELETE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[2], unpack(ARGV, 2))
return 1`;

/** In one command. */
const MAX_DELETED_FIELDS = 1_000;

function nameOf({ key }: AuthenticatedHash, field: string): string {
  return `${key} ${field}`;
}

function discardUnusable(reading: HashReading, isUsable: (content: string, field: string) => boolean): void {
  for (const [field, { content }] of reading.values)
    if (!isUsable(content, field)) reading.discard(field, 'unusable');
}
