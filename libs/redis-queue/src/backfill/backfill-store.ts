import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import { AuthenticatedHash, type DiscardedValue } from '../redis/authenticated-hash.js';
import { type RedisConnection } from '../redis/servers.js';
import {
  backfillProgress,
  backfillRequest,
  listedEvent,
  type BackfillProgress,
  type BackfillRequest,
  type ListedEvent,
} from './backfill.js';

/** A dry run lists no more events than these; it counts the others. */
export const MAX_LISTED_EVENTS = 50_000;

/** The state of a finished backfill is removed after this time. */
const LIFETIME_MS = 30 * 86_400_000;

/**
 * Deletes a backfill whose progress has not changed since it was read. KEYS: hash, list. ARGV: text of the progress, empty for none.
 * @returns 1 or 0
 */
const REMOVE_UNCHANGED = `
if (redis.call('HGET', KEYS[1], 'progress') or '') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1`;

export interface BackfillStoreOptions {
  readonly redis: RedisConnection;
  /** QUEUE_PREFIX. */
  readonly prefix: string;
  readonly participant: string;
  /** INTEGRITY_KEYS_FILE. */
  readonly keys: KeySource;
  /** Called with values that do not come from the bridge, after they were deleted. */
  readonly onDiscarded?: (discarded: readonly DiscardedValue[]) => void;
}

export interface StoredBackfill {
  readonly request: BackfillRequest | undefined;
  readonly progress: BackfillProgress | undefined;
}

/** The request for a backfill of one participant, and its progress. The command writes the request, the poller everything else. */
export class BackfillStore {
  private readonly hash: AuthenticatedHash;
  private readonly listKey: string;

  constructor(private readonly options: BackfillStoreOptions) {
    const { redis, prefix, participant, keys } = options;
    const key = `${prefix}:backfill:${participant}`;
    this.listKey = `${key}:events`;
    this.hash = new AuthenticatedHash(redis, key, new ContentAuthenticator(keys, 'backfill'));
  }

  async read(): Promise<StoredBackfill> {
    const { request, progress } = await this.readStored();
    return { request, progress };
  }

  /** Removes a backfill that has not ended. @returns false when it has: its result stays */
  async cancel(): Promise<boolean> {
    // It ends, because each repetition follows progress of the backfill.
    for (;;) {
      const { progress, progressText } = await this.readStored();
      if (progress?.state === 'done') return false;
      const keys = [this.hash.key, this.listKey];
      const removed = await this.options.redis.eval(REMOVE_UNCHANGED, keys.length, ...keys, progressText);
      if (removed === 1) return true;
    }
  }

  /** Replaces the request. A request with another id forgets the progress of the previous one. */
  async writeRequest(request: BackfillRequest): Promise<void> {
    const { request: previous } = await this.read();
    if (previous?.id !== request.id) await this.remove();
    await this.write({ request });
  }

  /** Changes the request, unless it was replaced or removed meanwhile. */
  async changeRequest(id: string, change: Pick<BackfillRequest, 'isPaused'>): Promise<void> {
    const reading = await this.hash.read(['request']);
    const stored = reading.values.get('request');
    const request = backfillRequest.safeParse(parseJson(stored?.content ?? ''));
    if (stored === undefined || !request.success || request.data.id !== id) return;
    const text = this.hash.toText('request', JSON.stringify({ ...request.data, ...change }));
    reading.changes.push([Buffer.from('request'), Buffer.from(stored.text), text]);
    await this.hash.apply(reading);
  }

  async writeProgress(progress: BackfillProgress): Promise<void> {
    await this.write({ progress });
  }

  /** Adds events of a dry run. */
  async list(events: readonly ListedEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { redis } = this.options;
    const texts = events.map(({ id, type, subject, time }) => JSON.stringify({ id, type, subject, time }));
    await redis.rpush(this.listKey, ...texts);
    await redis.ltrim(this.listKey, 0, MAX_LISTED_EVENTS - 1);
    await redis.pexpire(this.listKey, LIFETIME_MS);
  }

  /**
   * A page of the events of a dry run, in the order in which they were found. A step that was interrupted is repeated, with its events.
   * @param start `next` of the page before
   */
  async listed(
    start: number,
    limit: number,
  ): Promise<{ readonly items: readonly ListedEvent[]; readonly next?: number }> {
    const texts = await this.options.redis.lrange(this.listKey, start, start + limit);
    const items = texts.slice(0, limit).flatMap((text) => {
      const parsed = listedEvent.safeParse(parseJson(text));
      return parsed.success ? [parsed.data] : [];
    });
    return { items, ...(texts.length > limit && { next: start + limit }) };
  }

  private async readStored(): Promise<StoredBackfill & { readonly progressText: string }> {
    const reading = await this.hash.read(['request', 'progress']);
    const parse = <T>(
      field: string,
      schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
    ) => {
      const content = reading.values.get(field)?.content;
      if (content === undefined) return undefined;
      const parsed = schema.safeParse(parseJson(content));
      if (!parsed.success) reading.discard(field, 'unusable');
      return parsed.success ? parsed.data : undefined;
    };
    const request = parse('request', backfillRequest);
    const progress = parse('progress', backfillProgress);
    await this.hash.apply(reading);
    if (reading.discarded.length > 0) this.options.onDiscarded?.(reading.discarded);
    return {
      request,
      progress: progress?.requestId === request?.id ? progress : undefined,
      progressText: reading.values.get('progress')?.text ?? '',
    };
  }

  private async remove(): Promise<void> {
    await this.options.redis.del(this.hash.key, this.listKey);
  }

  private async write(values: Readonly<Record<string, object>>): Promise<void> {
    const { redis } = this.options;
    const texts = Object.entries(values).map(
      ([field, value]) => [field, this.hash.toText(field, JSON.stringify(value))] as const,
    );
    await redis.hset(this.hash.key, Object.fromEntries(texts));
    await redis.pexpire(this.hash.key, LIFETIME_MS);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
