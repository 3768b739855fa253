import type { ContentAuthenticator } from '@ssb/keys';
import {
  AuthenticatedHash,
  isWrongTypeError,
  type DiscardedValue,
  type Fence,
  type HashReading,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { FencingToken } from '../lease/lease.js';
import { KnownFields, type FieldReading } from './known-fields.js';
import { FencedOffError } from './poller-keys.js';

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

/** Of one command. */
const MAX_DELETED_FIELDS = 1_000;

export interface FencedHashOptions {
  readonly redis: RedisConnection;
  readonly key: string;
  /** Key of the latest fencing token. */
  readonly fenceKey: string;
  readonly authenticator: ContentAuthenticator;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
}

/** A Redis hash that the leader alone writes. What another client wrote is deleted and reported. */
export class FencedHash {
  private readonly hash: AuthenticatedHash;
  private readonly known: KnownFields;

  constructor(private readonly options: FencedHashOptions) {
    this.hash = new AuthenticatedHash(options.redis, options.key, options.authenticator);
    this.known = new KnownFields(options.redis, options.key);
  }

  /** @throws FencedOffError */
  async write(
    token: FencingToken,
    field: string,
    content: string,
    deleted: readonly string[] = [],
  ): Promise<void> {
    const { redis, fenceKey } = this.options;
    const { key } = this.hash;
    const recordWrite = this.known.beginWrite(token, [
      [field, content],
      ...deleted.map((each) => [each, undefined] as const),
    ]);
    const text = this.hash.toText(field, content);
    const store = (): Promise<unknown> => redis.eval(WRITE, 2, fenceKey, key, token, field, text, ...deleted);
    const written = await store().catch(async (error: unknown) => {
      if (!isWrongTypeError(error)) throw error;
      // The reading deletes a key that is no hash.
      await this.discard(token, await this.hash.read([field], this.fenceOf(token)));
      return store();
    });
    if (written !== 1) throw new FencedOffError(token);
    recordWrite();
  }

  /** Deletes fields. @throws FencedOffError */
  async delete(token: FencingToken, fields: readonly string[]): Promise<void> {
    const { redis, fenceKey } = this.options;
    for (let index = 0; index < fields.length; index += MAX_DELETED_FIELDS) {
      const batch = fields.slice(index, index + MAX_DELETED_FIELDS);
      const recordWrite = this.known.beginWrite(
        token,
        batch.map((field) => [field, undefined]),
      );
      if ((await redis.eval(DELETE, 2, fenceKey, this.hash.key, token, ...batch)) !== 1)
        throw new FencedOffError(token);
      recordWrite();
    }
  }

  /** The contents of all fields but some. @throws FencedOffError */
  async readAll(
    token: FencingToken,
    except: readonly string[],
    isUsable: (content: string, field: string) => boolean,
  ): Promise<ReadonlyMap<string, string>> {
    const reading = await this.hash.readAll(except, this.fenceOf(token));
    for (const [field, { content }] of reading.values)
      if (!isUsable(content, field)) reading.discard(field, 'unusable');
    await this.discard(token, reading);
    return new Map([...reading.values].map(([field, { content }]) => [field, content]));
  }

  /** @param isUsable whether a content has the expected form @throws FencedOffError */
  async readFields(
    token: FencingToken,
    fields: readonly string[],
    isUsable: (content: string, field: string) => boolean,
  ): Promise<ReadonlyMap<string, FieldReading>> {
    const recordReading = this.known.beginRead(token, fields);
    const reading = await this.hash.read(fields, this.fenceOf(token));
    for (const [field, { content }] of reading.values)
      if (!isUsable(content, field)) reading.discard(field, 'unusable');
    const contents = new Map(fields.map((field) => [field, reading.values.get(field)?.content]));
    const result = recordReading(contents);
    for (const [field, { isAltered }] of result) if (isAltered) reading.discard(field, 'rolled-back');
    await this.discard(token, reading);
    return result;
  }

  /** Reports after the deletion: the fence then shows that no later leader wrote the values. */
  private async discard(token: FencingToken, reading: HashReading): Promise<void> {
    if (!(await this.hash.apply(reading, this.fenceOf(token)))) throw new FencedOffError(token);
    if (reading.discarded.length > 0) this.options.onDiscarded(reading.discarded);
  }

  private fenceOf(token: FencingToken): Fence {
    return { key: this.options.fenceKey, token };
  }
}
