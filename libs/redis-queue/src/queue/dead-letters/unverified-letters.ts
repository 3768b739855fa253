import { createHash } from 'node:crypto';
import { z } from 'zod';
import { describeRefusal, type RefusedJob } from '../domain/refused-job.js';
import { stringify } from '../event-authenticator.js';
import type { RedisConnection } from '../../redis/servers.js';

/** A job without a valid HMAC. Everything in it can be forged. */
export interface UnverifiedLetter {
  /** Computed from job id and data, so that no other job has it. */
  readonly id: string;
  readonly jobId: string;
  readonly reason: string;
  /** RFC 3339 in UTC. */
  readonly deadLetteredAt: string;
  /** The data of the job; undefined when it is too large, or nested too deeply. */
  readonly data: unknown;
}

/** Bounds of what is kept. Of more, the newest are kept. */
export interface UnverifiedLetterLimits {
  readonly maxLetters: number;
  readonly maxBytes: number;
  readonly maxLetterBytes: number;
}

export const UNVERIFIED_LETTER_LIMITS: UnverifiedLetterLimits = {
  maxLetters: 1_000,
  maxBytes: 64 * 1024 * 1024,
  /** More than any event: the largest `maxMessageBytes` is 8 MiB. */
  maxLetterBytes: 9 * 1024 * 1024,
};

const ID_PREFIX = 'unverified-';

/**
 * KEYS[1]: sorted set of the ids, score = time. KEYS[2]: hash of the letters. KEYS[3]: their total size.
 * ARGV: id, letter, time, maximum number, maximum size.
 */
const ADD = `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
local bytes = redis.call('INCRBY', KEYS[3], #ARGV[2])
local removed = 0
while redis.call('ZCARD', KEYS[1]) > tonumber(ARGV[4]) or bytes > tonumber(ARGV[5]) do
  local oldest = redis.call('ZPOPMIN', KEYS[1])[1]
  if not oldest then break end
  bytes = redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[2], oldest))
  redis.call('HDEL', KEYS[2], oldest)
  removed = removed + 1
end
return removed`;

/** The same KEYS. ARGV: id. */
const REMOVE = `
redis.call('DECRBY', KEYS[3], redis.call('HSTRLEN', KEYS[2], ARGV[1]))
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[1], ARGV[1])`;

const storedSchema = z.object({
  jobId: z.string(),
  reason: z.string().catch(''),
  deadLetteredAt: z.string().catch(''),
  data: z.unknown().optional(),
});

/** Keeps jobs without a valid HMAC, bounded and apart from the events that are verified. */
export class UnverifiedLetters {
  private readonly keys: readonly [order: string, letters: string, bytes: string];

  constructor(
    private readonly redis: RedisConnection,
    prefix: string,
    private readonly limits: UnverifiedLetterLimits = UNVERIFIED_LETTER_LIMITS,
  ) {
    const base = `${prefix}:settlement-events-unverified`;
    this.keys = [`${base}:order`, `${base}:letters`, `${base}:bytes`];
  }

  /** Adds a job durably; a repeat changes nothing. @returns the number of older ones that were removed */
  async add({ jobId, refusal }: RefusedJob, data: unknown, now: Date): Promise<number> {
    const { maxLetters, maxBytes, maxLetterBytes } = this.limits;
    const text = stringify(data);
    const isKept = text !== undefined && Buffer.byteLength(text) <= maxLetterBytes;
    const reason = isKept
      ? describeRefusal(refusal)
      : `${describeRefusal(refusal)} Its data is too large or too deep, and was not kept.`;
    const letter = { jobId, reason, deadLetteredAt: now.toISOString(), ...(isKept && { data }) };
    const args = [
      computeId(jobId, isKept ? text : ''),
      JSON.stringify(letter),
      now.getTime(),
      maxLetters,
      maxBytes,
    ];
    return Number(await this.redis.eval(ADD, this.keys.length, ...this.keys, ...args));
  }

  /** Undefined when there is none, or when it was changed since it was added. */
  async get(id: string): Promise<UnverifiedLetter | undefined> {
    if (!id.startsWith(ID_PREFIX)) return undefined;
    return parseLetter(id, await this.redis.hget(this.keys[1], id));
  }

  /** Ids of the newest, oldest of them first. */
  async listIds(limit: number): Promise<string[]> {
    return this.redis.zrange(this.keys[0], String(-limit), '-1');
  }

  async count(): Promise<number> {
    return this.redis.zcard(this.keys[0]);
  }

  async remove(id: string): Promise<void> {
    await this.redis.eval(REMOVE, this.keys.length, ...this.keys, id);
  }
}

function computeId(jobId: string, text: string): string {
  const hash = createHash('sha256')
    .update(`${Buffer.byteLength(jobId)}:${jobId}`)
    .update(text);
  return `${ID_PREFIX}${hash.digest('hex').slice(0, 32)}`;
}

function parseLetter(id: string, text: string | null): UnverifiedLetter | undefined {
  if (text === null) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const result = storedSchema.safeParse(value);
  if (!result.success) return undefined;
  const { jobId, data } = result.data;
  const isGenuine = computeId(jobId, data === undefined ? '' : (stringify(data) ?? '')) === id;
  return isGenuine ? { id, ...result.data, data } : undefined;
}
