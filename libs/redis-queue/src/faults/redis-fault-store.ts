import type { BridgeApp, DetectedEvent } from '@ssb/events';
import type { ContentAuthenticator } from '@ssb/keys';
import { AuthenticatedHash, type DiscardedValue, type HashReading } from '../redis/authenticated-hash.js';
import { isWrongTypeError } from '../redis/connection-errors.js';
import { type RedisConnection } from '../redis/servers.js';
import type { ReportAllowance, FaultState } from '@ssb/faults';

/** A saved fault, and the ids of the latest calls applied to it, so that a repeated call changes nothing. */
export interface SavedFault {
  readonly state: FaultState;
  readonly callIds: readonly string[];
}

export interface SavedRecords {
  readonly fault: SavedFault | undefined;
  readonly allowance: ReportAllowance | undefined;
}

/** Other replicas changed the state during every attempt; nothing was written. */
export class FaultStateContendedError extends Error {
  override readonly name = 'FaultStateContendedError';

  constructor(readonly attempts: number) {
    super(
      `The state of a fault was changed by other replicas during ${attempts} attempts; nothing was written`,
    );
  }
}

const MAX_ATTEMPTS = 20;

/** Field of the report allowance. Fields of faults are alert subjects, which contain a slash. */
const ALLOWANCE = 'allowance';

/**
 * Replaces fields of the faults if all have the expected values, and adds unsent events, atomically. KEYS: faults, unsent events.
 * @param ARGV number of fields; for each: field, expected value ('' for none), new value ('' deletes); then id and text of each event
 * @returns 1 or 0
 */
const SAVE = `
-- Fails before anything is written when a key is not a hash.
redis.call('HLEN', KEYS[2])
local fields = tonumber(ARGV[1])
for i = 0, fields - 1 do
  local saved = redis.call('HGET', KEYS[1], ARGV[2 + i * 3]) or ''
  if saved ~= ARGV[3 + i * 3] then return 0 end
end
for i = 0, fields - 1 do
  if ARGV[4 + i * 3] == '' then redis.call('HDEL', KEYS[1], ARGV[2 + i * 3])
  else redis.call('HSET', KEYS[1], ARGV[2 + i * 3], ARGV[4 + i * 3]) end
end
for i = 2 + fields * 3, #ARGV, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
return 1`;

export interface RedisFaultStoreOptions {
  readonly redis: RedisConnection;
  /** Prefix of every key of the bridge: QUEUE_PREFIX. */
  readonly prefix: string;
  readonly app: BridgeApp;
  readonly authenticator: ContentAuthenticator;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded: (discarded: readonly DiscardedValue[]) => void;
}

/**
 * The faults of one app and the alert events that are not on the queue yet, in Redis. All replicas share them. Values that another client
 * wrote are discarded, because an alert event is signed and published.
 */
export class RedisFaultStore {
  private readonly faults: AuthenticatedHash;
  private readonly unsent: AuthenticatedHash;
  private readonly unposted: AuthenticatedHash;

  constructor(private readonly options: RedisFaultStoreOptions) {
    const { redis, prefix, app, authenticator } = options;
    const base = `${prefix}:alerts:${app}`;
    this.faults = new AuthenticatedHash(redis, base, authenticator);
    this.unsent = new AuthenticatedHash(redis, `${base}:unsent`, authenticator);
    this.unposted = new AuthenticatedHash(redis, `${base}:unposted`, authenticator);
  }

  /**
   * Changes one fault and the allowance and saves events to send, atomically. Calls `change` again when another replica wrote first.
   * @throws FaultStateContendedError
   */
  async update(
    key: string,
    change: (saved: SavedRecords) => SavedRecords & { readonly events: readonly DetectedEvent[] },
  ): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { values } = await this.read(this.faults, isRecord, [key, ALLOWANCE]);
      const saved = { fault: contentOf<SavedFault>(values, key), allowance: allowanceOf(values) };
      const { fault, allowance, events } = change(saved);
      const fields = [
        [key, values.get(key)?.text ?? '', this.toText(key, fault)],
        [ALLOWANCE, values.get(ALLOWANCE)?.text ?? '', this.toText(ALLOWANCE, allowance)],
      ].filter(([, before, after]) => before !== after);
      if (fields.length === 0 && events.length === 0) return;
      const texts = events.flatMap((event) => [
        event.id,
        this.unsent.toText(event.id, JSON.stringify(event)),
      ]);
      const args = [fields.length, ...fields.flat(), ...texts] as (string | number)[];
      const written = await this.withHashes((redis) =>
        redis.eval(SAVE, 2, this.faults.key, this.unsent.key, ...args),
      );
      if (written === 1) return;
    }
    throw new FaultStateContendedError(MAX_ATTEMPTS);
  }

  /** The number of saved faults. */
  async count(): Promise<number> {
    return this.withHashes((redis) => redis.hlen(this.faults.key));
  }

  async has(key: string): Promise<boolean> {
    return (await this.withHashes((redis) => redis.hexists(this.faults.key, key))) === 1;
  }

  async list(): Promise<{ readonly faults: ReadonlyMap<string, FaultState>; allowance?: ReportAllowance }> {
    const { values } = await this.read(this.faults, isRecord);
    const faults = [...values.keys()].flatMap((key) => {
      const fault = key === ALLOWANCE ? undefined : contentOf<SavedFault>(values, key);
      return fault === undefined ? [] : [[key, fault.state] as const];
    });
    return { faults: new Map(faults), allowance: allowanceOf(values) };
  }

  /** The events that may not be on the queue yet, in order. */
  async listUnsent(): Promise<readonly DetectedEvent[]> {
    return this.listEvents(this.unsent);
  }

  /** Deletes unsent events that are on the queue now. @param unposted the subset that the operations webhook has not accepted */
  async deleteUnsent(events: readonly DetectedEvent[], unposted: readonly DetectedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const change = this.options.redis.multi().hdel(this.unsent.key, ...idsOf(events));
    for (const event of unposted)
      change.hset(this.unposted.key, event.id, this.unposted.toText(event.id, JSON.stringify(event)));
    await change.exec();
  }

  /** The events that the operations webhook may not have accepted yet, in order. */
  async listUnposted(): Promise<readonly DetectedEvent[]> {
    return this.listEvents(this.unposted);
  }

  async deleteUnposted(events: readonly DetectedEvent[]): Promise<void> {
    if (events.length > 0) await this.options.redis.hdel(this.unposted.key, ...idsOf(events));
  }

  private async listEvents(hash: AuthenticatedHash): Promise<readonly DetectedEvent[]> {
    const { values } = await this.read(hash, isEvent);
    const events = [...values.values()].map(({ content }) => parse(content) as DetectedEvent);
    return events.toSorted((a, b) => a.sequence.localeCompare(b.sequence));
  }

  /** Verified values. Unusable values are deleted from Redis and reported. */
  private async read(
    hash: AuthenticatedHash,
    isUsable: (value: unknown, field: string) => boolean,
    fields?: readonly string[],
  ): Promise<HashReading> {
    const reading = await (fields === undefined ? hash.readAll() : hash.read(fields));
    for (const [field, { content }] of reading.values)
      if (!isUsable(parse(content), field)) reading.discard(field, 'unusable');
    await hash.apply(reading);
    this.options.onDiscarded(reading.discarded);
    return reading;
  }

  /** When a key is not a hash, deletes and reports it, then retries the operation once. */
  private async withHashes<T>(operation: (redis: RedisConnection) => Promise<T>): Promise<T> {
    const { redis } = this.options;
    try {
      return await operation(redis);
    } catch (error) {
      if (!isWrongTypeError(error)) throw error;
      for (const hash of [this.faults, this.unsent]) await this.read(hash, () => true, [ALLOWANCE]);
      return operation(redis);
    }
  }

  private toText(field: string, value: object | undefined): string {
    return value === undefined ? '' : this.faults.toText(field, JSON.stringify(value));
  }
}

function idsOf(events: readonly DetectedEvent[]): string[] {
  return events.map(({ id }) => id);
}

/** @returns undefined when the text is not JSON */
function parse(text: string, revive?: typeof reviveDate): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

function contentOf<T>(values: HashReading['values'], field: string): T | undefined {
  const value = values.get(field);
  return value && (parse(value.content, reviveDate) as T);
}

function allowanceOf(values: HashReading['values']): ReportAllowance | undefined {
  return contentOf<ReportAllowance>(values, ALLOWANCE);
}

/** Whether the value of the field is a fault or the allowance. The HMAC shows that the bridge wrote it, possibly as another release. */
function isRecord(value: unknown, field: string): boolean {
  if (!isObject(value)) return false;
  return field === ALLOWANCE
    ? isObject(value['sent'])
    : isObject(value['state']) && Array.isArray(value['callIds']);
}

function isEvent(value: unknown, field: string): boolean {
  return (
    isObject(value) &&
    value['id'] === field &&
    typeof value['sequence'] === 'string' &&
    isObject(value['data'])
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

const DATE_FIELDS: ReadonlySet<string> = new Set([
  'since',
  'reportedAt',
  'endedAt',
  'startedAt',
  'heldSince',
] satisfies (keyof FaultState | keyof ReportAllowance)[]);

function reviveDate(key: string, value: unknown): unknown {
  return DATE_FIELDS.has(key) && typeof value === 'string' ? new Date(value) : value;
}
