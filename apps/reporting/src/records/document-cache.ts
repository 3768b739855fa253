import { LRUCache } from 'lru-cache';

/** A load into the scope invalidates the document. The query is unique within the scope. */
export interface DocumentKey {
  readonly scope: string;
  readonly query: string;
}

/** The timeline belongs to the market, every other document to a participant. */
export const TIMELINE_SCOPE = 'timeline';
export const participantScope = (participant: string): string => `of ${participant}`;

/** Reads documents. `find` queries the database; its result may be cached until a load into the scope. */
export interface ReadThrough {
  read<T extends string | Uint8Array | undefined>(key: DocumentKey, find: () => Promise<T>): Promise<T>;
}

/** Queries the database each time. */
export const uncached: ReadThrough = { read: (_key, find) => find() };

/** A document, or undefined where nothing was published. */
interface Entry {
  readonly document: string | Uint8Array | undefined;
}

/** Memory of an entry beside its document and its key. */
const ENTRY_BYTES = 200;

/** Beyond so many scopes with loads, the whole cache is cleared. */
const MAX_SCOPES = 10_000;

/**
 * Caches documents within a bound in bytes.
 * Each key contains the number of loads into its scope, so a load hides older results, even of reads in flight.
 */
export class DocumentCache implements ReadThrough {
  private readonly entries: LRUCache<string, Entry>;
  private readonly pending = new Map<string, Promise<unknown>>();
  private readonly loads = new Map<string, number>();
  private epoch = 0;
  private disabled = false;

  /** @param maxBytes of documents, keys and entries */
  constructor(maxBytes: number) {
    this.entries = new LRUCache({
      maxSize: maxBytes,
      // The enormous range of one caller must not evict the documents of all others.
      maxEntrySize: Math.ceil(maxBytes / 8),
      sizeCalculation: ({ document }, key) => sizeOf(document) + sizeOf(key) + ENTRY_BYTES,
    });
  }

  read<T extends string | Uint8Array | undefined>(
    { scope, query }: DocumentKey,
    find: () => Promise<T>,
  ): Promise<T> {
    if (this.disabled) return find();
    // The zero character separates the scope: no participant code contains it.
    const key = `${this.epoch} ${this.loads.get(scope) ?? 0} ${scope}\0${query}`;
    const entry = this.entries.get(key);
    if (entry !== undefined) return Promise.resolve(entry.document as T);
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending as Promise<T>;
    const reading = find()
      .then((document) => {
        this.entries.set(key, { document });
        return document;
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, reading);
    return reading;
  }

  invalidate(scopes: readonly string[]): void {
    for (const scope of scopes) this.loads.set(scope, (this.loads.get(scope) ?? 0) + 1);
    if (this.loads.size > MAX_SCOPES) this.clear();
  }

  clear(): void {
    this.epoch++;
    this.loads.clear();
    this.entries.clear();
  }

  /** Clears the cache and stores nothing until `enable`, while loads of other replicas cannot be received. */
  disable(): void {
    this.disabled = true;
    this.clear();
  }

  enable(): void {
    this.disabled = false;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.entries.calculatedSize;
  }
}

/** The engine stores a text with one byte a character when all are Latin-1, else with two. */
function sizeOf(document: string | Uint8Array | undefined): number {
  if (typeof document !== 'string') return document?.byteLength ?? 0;
  return /[^\0-\xff]/.test(document) ? 2 * document.length : document.length;
}
