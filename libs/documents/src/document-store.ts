import type { DocumentKey, DocumentRecord } from './document.js';

/** Which documents are listed, the newest first. */
export interface DocumentFilter {
  /** Undefined for all participants. */
  readonly participants?: readonly string[] | undefined;
  readonly markets?: readonly string[] | undefined;
  readonly reference?: string | undefined;
  /** First characters of the id, in lower case. */
  readonly idBeginning?: string | undefined;
  /** Stored at this time or later. */
  readonly since?: Date | undefined;
  /** Stored before this time. */
  readonly until?: Date | undefined;
  /** Those after this document in the order of the list. */
  readonly after?: Pick<DocumentRecord, 'id' | 'storedAt'> | undefined;
  readonly limit: number;
}

/** A document that is being read. */
export interface OpenedDocument {
  readonly record: DocumentRecord;
  /** Opened with the first part that is read. Throws DocumentStoreError when the bytes cannot be read, or are not those that were stored. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** Of all that is stored. */
export interface DocumentUsage {
  readonly documents: number;
  readonly bytes: number;
  /** Undefined without a document. */
  readonly oldest: Date | undefined;
}

export type PutResult =
  | { readonly outcome: 'stored'; readonly record: DocumentRecord }
  /** The key has a document, which stays as it is. */
  | { readonly outcome: 'known'; readonly record: DocumentRecord }
  /** The document would exceed the maximum size of the store. Nothing was stored. */
  | { readonly outcome: 'full'; readonly storedBytes: number };

/**
 * Keeps each document once by its key. Any method can take as long as the storage behind it, and rejects with the error of that storage: a
 * DocumentStoreError, or those of `Database`.
 */
export interface DocumentStore {
  /** The document of a key. */
  find(key: DocumentKey): Promise<DocumentRecord | undefined>;
  /** Stores a document durably before it resolves. A repeat is harmless: the first document of a key stays. */
  put(record: DocumentRecord, content: Uint8Array): Promise<PutResult>;
  get(id: string): Promise<DocumentRecord | undefined>;
  open(id: string): Promise<OpenedDocument | undefined>;
  /** A document of another process may be missing for a few seconds. @throws TooManyDocumentsError */
  list(filter: DocumentFilter): Promise<DocumentRecord[]>;
  /** Removes documents that were stored before a time, at most MAX_REMOVED. A repeat continues. @returns the removed ones */
  removeBefore(time: Date): Promise<DocumentRecord[]>;
  usage(): Promise<DocumentUsage>;
  close(): Promise<void>;
}

export const MAX_REMOVED = 500;

/** The storage does not respond, refuses a request, or holds something else than was stored. */
export class DocumentStoreError extends Error {
  override readonly name = 'DocumentStoreError';
}

/** The storage cannot search, and the filter is that of more documents than it lists. */
export class TooManyDocumentsError extends DocumentStoreError {}
