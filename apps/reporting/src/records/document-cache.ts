import { LRUCache } from 'lru-cache';
import type { DocumentKey, ReadThrough } from './batch-query.js';

/** What is kept: a document, or the knowledge that there is none. */
interface Kept {
  readonly document: string | Uint8Array | undefined;
}

/** What an entry costs beside its document and its key. */
const ENTRY_BYTES = 200;

/** Scopes whose loads are counted one by one; beyond them everything is forgotten. */
const MAX_SCOPES = 10_000;

/**
 * Keeps documents that were read, within a bound in bytes. The number of loads into a document's scope is part of its key.
 * So a load forgets the scope at once, and a reading that began before it is answered but never found again.
 */
export class DocumentCache implements ReadThrough {
  private readonly kept: LRUCache<string, Kept>;
  private readonly pending = new Map<string, Promise<unknown>>();
  private readonly loads = new Map<string, number>();
  private epoch = 0;
  private off = false;

  /** @param maxBytes of documents, keys and what it takes to keep them */
  constructor(maxBytes: number) {
    this.kept = new LRUCache({
      maxSize: maxBytes,
      // One caller's enormous range must not cost everybody else's documents.
      maxEntrySize: Math.ceil(maxBytes / 8),
      sizeCalculation: ({ document }, key) => bytesOf(document) + bytesOf(key) + ENTRY_BYTES,
    });
  }

  read<T extends string | Uint8Array | undefined>(
    { scope, question }: DocumentKey,
    find: () => Promise<T>,
  ): Promise<T> {
    if (this.off) return find();
    // A scope ends at the zero character, which no participant code can hold.
    const key = `${this.epoch} ${this.loads.get(scope) ?? 0} ${scope}\0${question}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return Promise.resolve(kept.document as T);
    const pending = this.pending.get(key);
    if (pending !== undefined) return pending as Promise<T>;
    const reading = find()
      .then((document) => {
        this.kept.set(key, { document });
        return document;
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, reading);
    return reading;
  }

  forget(scopes: readonly string[]): void {
    for (const scope of scopes) this.loads.set(scope, (this.loads.get(scope) ?? 0) + 1);
    if (this.loads.size > MAX_SCOPES) this.forgetAll();
  }

  forgetAll(): void {
    this.epoch++;
    this.loads.clear();
    this.kept.clear();
  }

  /** Forgets everything, and keeps nothing until `switchOn`: loads of other replicas are not received. */
  switchOff(): void {
    this.off = true;
    this.forgetAll();
  }

  switchOn(): void {
    this.off = false;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.kept.calculatedSize;
  }
}

/** As the engine holds a text: a byte for each character while all of them are Latin, else two. */
function bytesOf(document: string | Uint8Array | undefined): number {
  if (typeof document !== 'string') return document?.byteLength ?? 0;
  return /[^\0-\xff]/.test(document) ? 2 * document.length : document.length;
}
