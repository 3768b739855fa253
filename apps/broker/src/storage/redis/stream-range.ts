import type { LogEntry, LogPage, Offset, PageLimits } from '../message-log.js';
import { readAhead } from '../read-ahead.js';
import type { RedisEngine } from './redis-engine.js';
import { getPredecessor, toEntry } from './stream-entry.js';

export interface StreamRange {
  readonly page: LogPage;
  /** The entry that preceded the first of these at its append. */
  readonly predecessor: Offset | undefined;
}

/**
 * Reads entries of a Redis stream until a limit is reached.
 * @param start first id of the range; `(` before it excludes it
 */
export async function readStreamRange(
  engine: RedisEngine,
  key: string,
  start: string,
  limits: PageLimits,
  maxMessageBytes: number,
): Promise<StreamRange> {
  const entries: LogEntry[] = [];
  let predecessor: Offset | undefined;
  let from = start;
  let bytes = 0;
  let largest: number | undefined;
  for (;;) {
    const ahead = readAhead(largest, limits.maxBytes - bytes, maxMessageBytes);
    // One more than fits, to detect further entries.
    const count = Math.min(ahead, limits.maxEntries - entries.length + 1);
    const chunk = await engine.run((redis) => redis.xrange(key, from, '+', 'COUNT', count));
    for (const raw of chunk) {
      if (entries.length >= limits.maxEntries) return { page: { entries, more: true }, predecessor };
      const entry = toEntry(raw);
      const size = Buffer.byteLength(entry.payload);
      bytes += size;
      if (entries.length > 0 && bytes > limits.maxBytes) {
        return { page: { entries, more: true }, predecessor };
      }
      if (entries.length === 0) predecessor = getPredecessor(raw);
      entries.push(entry);
      largest = Math.max(largest ?? 1, size);
      from = `(${entry.offset}`;
    }
    if (chunk.length < count) return { page: { entries, more: false }, predecessor };
  }
}
