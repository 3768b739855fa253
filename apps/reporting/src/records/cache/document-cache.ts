import { LRUCache } from 'lru-cache';
import type { DocumentKey, ReadThrough } from '../reading.js';

/** What is kept: a document, or the knowledge that there is none. */
interface Kept {
  readonly document: string | Uint8Array | undefined;
}

/** What an entry costs beside its document and its key. */
const ENTRY_BYTES = 200;

/**
 * Keeps documents that were read, within a bound in bytes. Every document belongs to a scope, and a load into the scope forgets all of
 * them at once. A reading that began before the scope was forgotten is answered but never kept, so that a slow reader cannot bring an
 * outdated document back. Readings of the same document at the same time ask the database once.
 */
export class DocumentCache implements ReadThrough {
  private readonly kept: LRUCache<string, Kept>;
  /** The keys that are kept or being read, by scope. */
  private readonly scopes = new Map<string, Set<string>>();
  private readonly underWay = new Map<string, Promise<unknown>>();
  private off = false;

  /** @param mostBytes of documents, keys and what it takes to keep them */
  constructor(mostBytes: number) {
    this.kept = new LRUCache({
      maxSize: mostBytes,
      // One caller's enormous range must not cost everybody else's documents.
      maxEntrySize: Math.ceil(mostBytes / 8),
      sizeCalculation: ({ document }, key) => bytesOf(document) + bytesOf(key) + ENTRY_BYTES,
      dispose: (_kept, key, reason) => {
        if (reason !== 'set') this.unlist(key);
      },
    });
  }

  read<T extends string | Uint8Array | undefined>(
    { scope, question }: DocumentKey,
    find: () => Promise<T>,
  ): Promise<T> {
    if (this.off) return find();
    // A scope ends at the zero character, which no participant code can hold.
    const key = `${scope}\0${question}`;
    const kept = this.kept.get(key);
    if (kept !== undefined) return Promise.resolve(kept.document as T);
    const running = this.underWay.get(key);
    if (running !== undefined) return running as Promise<T>;
    return this.find(key, scope, find);
  }

  /** Forgets what is known of the scopes, and keeps nothing of a reading that is under way. */
  forget(scopes: readonly string[]): void {
    for (const scope of scopes) {
      for (const key of this.scopes.get(scope) ?? []) {
        this.underWay.delete(key);
        this.kept.delete(key);
      }
      this.scopes.delete(scope);
    }
  }

  forgetAll(): void {
    this.forget([...this.scopes.keys()]);
  }

  /** Forgets everything, and keeps nothing until `switchOn`: it is not heard what others load. */
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

  private find<T extends string | Uint8Array | undefined>(
    key: string,
    scope: string,
    find: () => Promise<T>,
  ): Promise<T> {
    const reading: Promise<T> = find().then(
      (document) => {
        // Forgotten meanwhile, it is no longer this reading that stands there.
        if (this.underWay.get(key) === reading) {
          this.underWay.delete(key);
          this.kept.set(key, { document });
          if (!this.kept.has(key)) this.unlist(key);
        }
        return document;
      },
      (error: unknown) => {
        if (this.underWay.get(key) === reading) {
          this.underWay.delete(key);
          this.unlist(key);
        }
        throw error;
      },
    );
    this.underWay.set(key, reading);
    const keys = this.scopes.get(scope);
    if (keys === undefined) this.scopes.set(scope, new Set([key]));
    else keys.add(key);
    return reading;
  }

  private unlist(key: string): void {
    const scope = key.slice(0, key.indexOf('\0'));
    const keys = this.scopes.get(scope);
    keys?.delete(key);
    if (keys?.size === 0) this.scopes.delete(scope);
  }
}

/** As the engine holds a text: a byte for each character while all of them are Latin, else two. */
function bytesOf(document: string | Uint8Array | undefined): number {
  if (typeof document !== 'string') return document?.byteLength ?? 0;
  return /[^\0-\xff]/.test(document) ? 2 * document.length : document.length;
}
