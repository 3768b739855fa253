import { decompressText } from '@ssb/platform';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PRUNE, PUT } from './record-scripts.js';
import type { RedisConnection } from '../redis/servers.js';

/** The event that a full record belongs to. */
export interface RecordDescription {
  readonly participant: string;
  readonly eventId: string;
  readonly subject: string;
}

/** A full record of the store, without its text. */
export interface StoredRecord extends RecordDescription {
  /** SHA-256 of the text in UTF-8, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of the text in UTF-8, bytes. */
  readonly bytes: number;
  readonly compressedBytes: number;
  /** RFC 3339 in UTC. */
  readonly storedAt: string;
}

const compress = promisify(gzip);

const DAY_MS = 86_400_000;

/** A stored record cannot be decompressed, or has another hash. */
export class RecordDamagedError extends Error {
  override readonly name = 'RecordDamagedError';

  constructor(readonly sha256: string) {
    super(`The stored record ${sha256} is damaged; request it from the operator again`);
  }
}

/** A record that left the store, because it was too old or because a newer one needed its bytes. */
export interface Removal {
  readonly sha256: string;
  readonly storedBytes: number;
  readonly reason: 'age' | 'bytes';
}

export interface PutResult {
  readonly sha256: string;
  /** `too-large`: the record alone exceeds the maximum size of the store. */
  readonly outcome: 'stored' | 'already-stored' | 'too-large';
  readonly removed: readonly Removal[];
}

export interface RecordReaderOptions {
  readonly redis: RedisConnection;
  /** Prefix of every key: QUEUE_PREFIX. */
  readonly prefix: string;
}

/** Reads the full records of summarised events. */
export class RecordReader {
  protected readonly keys: readonly [index: string, texts: string, descriptions: string, bytes: string];

  constructor(private readonly reader: RecordReaderOptions) {
    const base = `${reader.prefix}:records`;
    this.keys = [`${base}:index`, `${base}:texts`, `${base}:descriptions`, `${base}:bytes`];
  }

  /** The text with this hash; undefined when the store does not have it. @throws RecordDamagedError */
  async get(sha256: string): Promise<string | undefined> {
    const compressed = await this.getCompressed(sha256);
    if (compressed === undefined) return undefined;
    const text = await decompressText(compressed, sha256);
    if (text === undefined) throw new RecordDamagedError(sha256);
    return text;
  }

  /** The text as gzip, which may be damaged; undefined when the store does not have it. */
  async getCompressed(sha256: string): Promise<Buffer | undefined> {
    return (await this.reader.redis.hgetBuffer(this.keys[1], sha256)) ?? undefined;
  }

  /** The latest records, newest first. */
  async list(limit = 1_000): Promise<StoredRecord[]> {
    const { redis } = this.reader;
    const [index, , descriptions] = this.keys;
    const entries = await redis.zrevrange(index, 0, limit - 1, 'WITHSCORES');
    const hashes = entries.filter((_, at) => at % 2 === 0);
    if (hashes.length === 0) return [];
    const details = await redis.hmget(descriptions, ...hashes);
    return hashes.flatMap((sha256, at) => {
      const description = details[at];
      // Removed meanwhile.
      if (description === null || description === undefined) return [];
      const storedAt = new Date(Number(entries[2 * at + 1])).toISOString();
      return [{ sha256, ...(JSON.parse(description) as Details), storedAt }];
    });
  }

  /** How much the store holds. */
  async usage(): Promise<{ readonly records: number; readonly storedBytes: number }> {
    const { redis } = this.reader;
    const [index, , , bytes] = this.keys;
    return { records: await redis.zcard(index), storedBytes: Number((await redis.get(bytes)) ?? 0) };
  }
}

export interface RecordStoreOptions extends RecordReaderOptions {
  /** Maximum total of the stored bytes. */
  readonly maxBytes: number;
  readonly maxAgeDays: number;
}

/** The full records of summarised events in Redis, compressed. The oldest records are removed when the store is full or they are too old. */
export class RecordStore extends RecordReader {
  constructor(private readonly options: RecordStoreOptions) {
    super(options);
  }

  /** Stores a text under its hash, durably; a repeat changes nothing. */
  async put(text: string, description: RecordDescription): Promise<PutResult> {
    const sha256 = hashRecord(text);
    const compressed = await compress(text);
    const bytes = Buffer.byteLength(text);
    const details: Details = { ...description, bytes, compressedBytes: compressed.length };
    const [outcome, removed] = (await this.run(PUT, sha256, compressed, JSON.stringify(details))) as [
      PutResult['outcome'],
      RawRemoval[],
    ];
    return { sha256, outcome, removed: removed.map(toRemoval) };
  }

  /** Removes what exceeds the bounds, at most 1,000 old records in one call. */
  async prune(): Promise<readonly Removal[]> {
    return ((await this.run(PRUNE)) as RawRemoval[]).map(toRemoval);
  }

  private run(script: string, ...values: (string | Buffer)[]): Promise<unknown> {
    const { redis, maxBytes, maxAgeDays } = this.options;
    return redis.eval(script, this.keys.length, ...this.keys, maxBytes, maxAgeDays * DAY_MS, ...values);
  }
}

/** What Redis holds beside a text. */
type Details = Omit<StoredRecord, 'sha256' | 'storedAt'>;

type RawRemoval = readonly [sha256: string, storedBytes: number, reason: Removal['reason']];

function toRemoval([sha256, storedBytes, reason]: RawRemoval): Removal {
  return { sha256, storedBytes, reason };
}

/** SHA-256 of a text in UTF-8, lower-case hexadecimal. */
function hashRecord(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
