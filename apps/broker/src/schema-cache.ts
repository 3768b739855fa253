import { LRUCache } from 'lru-cache';

/** All schemas of one cache together. A compiled schema takes memory by its text, and at least as for so many characters. */
const MAX_CHARACTERS = 16_777_216;
const MIN_CHARACTERS_EACH = 16_384;

/** Least recently used schemas leave first, by their text. */
export function schemaCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + MIN_CHARACTERS_EACH,
  });
}
