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
import { formatOpenItems, parseOpenItems, type OpenItem } from '../detection/open-items.js';
import { fieldName, KnownFields, type FieldReading } from './known-fields.js';
import { openItemsField } from './open-items-reader.js';
import { FencedOffError, type FencingToken, type PollerKeys } from './poller-keys.js';
import {
  isUsablePart,
  OTHER_PARTS,
  pendingField,
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

/** In one command. */
const MAX_DELETED_FIELDS = 1_000;

/**
 * The poller's saved state of one participant, in Redis. Each write carries the fencing token, so only the leader writes. Each value carries
 * a message authentication code: what another client wrote, copied or put back is deleted and reported, and its facts are detected again.
 *
 * All methods throw FencedOffError when another replica leads.
 */
export class PollerStateStore {
  /** Changes with each new connection, after which Redis may hold earlier values. */
  readonly currentServer: () => number;
  private readonly state: AuthenticatedHash;
  /** When a poll of each interface last succeeded, and what is open. */
  private readonly polls: AuthenticatedHash;
  private readonly known: KnownFields;

  constructor(private readonly options: PollerStateOptions) {
    const { redis, keys, integrityKeys } = options;
    const authenticator = new ContentAuthenticator(integrityKeys, 'poller-state');
    this.state = new AuthenticatedHash(redis, keys.state, authenticator);
    this.polls = new AuthenticatedHash(redis, keys.polls, authenticator);
    this.currentServer = watchServer(redis, keys.state);
    this.known = new KnownFields(this.currentServer);
  }

  /** Reads one part, such as the position. */
  async readPart(token: FencingToken, part: string): Promise<SavedState> {
    const fields = await this.readFields(this.state, token, [part, pendingField(part)], isUsablePart);
    const contents = [...fields].flatMap(([field, { content }]) =>
      content === undefined ? [] : [[field, content] as const],
    );
    const altered = [...fields].flatMap(([field, { isAltered }]) => (isAltered ? [field] : []));
    return toSavedState(contents, new Set(altered));
  }

  /** The timeline, and the statements, invoices and estimations that were seen. */
  async readSettlement(token: FencingToken): Promise<SavedState> {
    const except = [...OTHER_PARTS, ...OTHER_PARTS.map(pendingField)];
    const reading = await this.state.readAll(except, this.fenceOf(token));
    discardUnusable(reading, isUsablePart);
    await this.applyReading(this.state, token, reading);
    return toSavedState([...reading.values].map(([field, { content }]) => [field, content]));
  }

  /** Saves a detection before its events are queued. The next response may differ, so a restarted poller queues these events first. */
  async savePending(token: FencingToken, part: string, detection: PendingDetection): Promise<void> {
    await this.write(this.state, token, pendingField(part), JSON.stringify(detection));
  }

  /** Saves the state of a part whose events, if any, are queued. */
  async savePart(token: FencingToken, part: string, text: string): Promise<void> {
    await this.write(this.state, token, part, text, pendingField(part));
  }

  async deleteParts(token: FencingToken, parts: readonly string[]): Promise<void> {
    const { redis, keys } = this.options;
    for (let index = 0; index < parts.length; index += MAX_DELETED_FIELDS) {
      const batch = parts.slice(index, index + MAX_DELETED_FIELDS);
      for (const part of batch) this.known.of(token).delete(fieldName(this.state, part));
      const written = await redis.eval(FENCED_WRITE, 2, keys.fence, keys.state, token, '', '', ...batch);
      if (written !== 1) throw new FencedOffError(token);
    }
  }

  /** When a poll of each interface last succeeded, RFC 3339 in UTC; also after a change of the leader. */
  async readLastSuccesses(token: FencingToken): Promise<Readonly<Partial<Record<MarketInterface, string>>>> {
    const isTime = (content: string): boolean => z.iso.datetime().safeParse(content).success;
    const fields = await this.readFields(this.polls, token, MARKET_INTERFACES, isTime);
    return Object.fromEntries(
      [...fields].flatMap(([name, { content }]) => (content ? [[name, content]] : [])),
    );
  }

  async saveLastSuccess(token: FencingToken, name: MarketInterface, at: Date): Promise<void> {
    await this.write(this.polls, token, name, at.toISOString());
  }

  /** Saves what of an interface is open, for `OpenItemsReader`. */
  async saveOpenItems(token: FencingToken, name: MarketInterface, items: readonly OpenItem[]): Promise<void> {
    const field = openItemsField(name);
    const text = formatOpenItems(items);
    const isUsable = (content: string): boolean => parseOpenItems(content) !== undefined;
    const saved = (await this.readFields(this.polls, token, [field], isUsable)).get(field);
    if (saved?.content === text && !saved.isAltered) return;
    await this.write(this.polls, token, field, text);
  }

  private async readFields(
    hash: AuthenticatedHash,
    token: FencingToken,
    fields: readonly string[],
    isUsable: (content: string, field: string) => boolean,
  ): Promise<ReadonlyMap<string, FieldReading>> {
    const compareWithKnown = this.known.startReading(token, hash, fields);
    const reading = await hash.read(fields, this.fenceOf(token));
    discardUnusable(reading, isUsable);
    const readings = compareWithKnown(reading);
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
    const known = this.known.of(token);
    // A write that fails may be stored, so the fields are unknown until it has succeeded.
    for (const each of [field, ...deleted]) known.delete(fieldName(hash, each));
    const args = [keys.fence, hash.key, token, field, hash.toText(field, content), ...deleted];
    const store = (): Promise<unknown> => redis.eval(FENCED_WRITE, 2, ...args);
    const written = await store().catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      // The reading deletes a key that is not a hash.
      await this.applyReading(hash, token, await hash.read([field], this.fenceOf(token)));
      return store();
    });
    if (written !== 1) throw new FencedOffError(token);
    known.set(fieldName(hash, field), { content });
    for (const each of deleted) known.set(fieldName(hash, each), { content: undefined });
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

  private fenceOf(token: FencingToken): Fence {
    return { key: this.options.keys.fence, token };
  }
}

/**
 * Sets one field of a hash, if it is named, and deletes others, if the token is the latest. KEYS: token counter, hash.
 * @param ARGV token, field, value, fields to delete
 * @returns 1 or 0
 */
export const FENCED_WRITE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], ARGV[3]) end
for i = 4, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
return 1`;

function discardUnusable(reading: HashReading, isUsable: (content: string, field: string) => boolean): void {
  for (const [field, { content }] of reading.values)
    if (!isUsable(content, field)) reading.discard(field, 'unusable');
}
