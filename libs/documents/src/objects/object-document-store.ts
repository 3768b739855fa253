import type { DocumentKey, DocumentRecord } from '../document.js';
import {
  DocumentStoreError,
  MAX_REMOVED,
  type DocumentFilter,
  type DocumentStore,
  type DocumentUsage,
  type OpenedDocument,
  type PutResult,
} from '../document-store.js';
import { DOCUMENT_KINDS } from '../document.js';
import { verifiedContent } from '../verified-content.js';
import {
  contentKey,
  DOCUMENTS,
  idKey,
  keyPrefix,
  parseContentKey,
  participantPrefix,
} from './object-keys.js';
import type { ObjectStorage } from './object-storage.js';

/** More keys than this are not read for one list. */
const MAX_LISTED = 100_000;

/** Documents as objects of a storage that only knows names and bytes. */
export class ObjectDocumentStore implements DocumentStore {
  /** Bytes of all documents, with those that are being stored; undefined before the first reading. */
  private storedBytes: number | undefined;

  /** @param maxBytes of all documents together. Other writers are noticed by the next `usage`. */
  constructor(
    private readonly storage: ObjectStorage,
    private readonly maxBytes: number = 0,
  ) {}

  async find(key: DocumentKey): Promise<DocumentRecord | undefined> {
    for await (const object of this.storage.list(keyPrefix(key))) {
      const record = parseContentKey(object);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  async put(record: DocumentRecord, content: Uint8Array): Promise<PutResult> {
    const known = await this.find(record);
    if (known !== undefined) {
      await this.putId(known);
      return { outcome: 'known', record: known };
    }
    if (this.storedBytes === undefined) await this.usage();
    const storedBytes = this.storedBytes ?? 0;
    if (storedBytes + record.bytes > this.maxBytes) return { outcome: 'full', storedBytes };
    this.storedBytes = storedBytes + record.bytes;
    try {
      await this.storage.put(contentKey(record), content);
      await this.putId(record);
    } catch (error) {
      this.storedBytes = undefined;
      throw error;
    }
    return { outcome: 'stored', record };
  }

  async get(id: string): Promise<DocumentRecord | undefined> {
    return (await this.findById(id))?.record;
  }

  async open(id: string): Promise<OpenedDocument | undefined> {
    const found = await this.findById(id);
    const content = found && (await this.storage.read(found.key));
    return found && content && { record: found.record, content: verifiedContent(found.record, content) };
  }

  async list(filter: DocumentFilter): Promise<DocumentRecord[]> {
    const found: DocumentRecord[] = [];
    let read = 0;
    for (const prefix of prefixesOf(filter))
      for await (const object of this.storage.list(prefix)) {
        if ((read += 1) > MAX_LISTED)
          throw new DocumentStoreError(
            `A list reads at most ${MAX_LISTED} documents: name fewer participants`,
          );
        const record = parseContentKey(object);
        if (record !== undefined && isListed(record, filter)) found.push(record);
      }
    return found.sort(newestFirst).slice(0, filter.limit);
  }

  async removeBefore(time: Date): Promise<DocumentRecord[]> {
    const removed: DocumentRecord[] = [];
    for await (const object of this.storage.list(DOCUMENTS)) {
      const record = parseContentKey(object);
      if (record === undefined || Date.parse(record.storedAt) >= time.getTime()) continue;
      // The list has the content, so a removal that was interrupted is repeated.
      await this.storage.remove(idKey(record.id));
      await this.storage.remove(object.key);
      removed.push(record);
      if (removed.length === MAX_REMOVED) break;
    }
    if (removed.length > 0) this.storedBytes = undefined;
    return removed;
  }

  async usage(): Promise<DocumentUsage> {
    let [documents, bytes] = [0, 0];
    let oldest: string | undefined;
    for await (const object of this.storage.list(DOCUMENTS)) {
      const record = parseContentKey(object);
      if (record === undefined) continue;
      documents += 1;
      bytes += record.bytes;
      if (oldest === undefined || record.storedAt < oldest) oldest = record.storedAt;
    }
    this.storedBytes = bytes;
    return { documents, bytes, oldest: oldest === undefined ? undefined : new Date(oldest) };
  }

  close(): Promise<void> {
    return this.storage.close();
  }

  private putId(record: DocumentRecord): Promise<void> {
    return this.storage.put(
      idKey(record.id),
      Buffer.from(JSON.stringify({ key: contentKey(record), bytes: record.bytes })),
    );
  }

  private async findById(
    id: string,
  ): Promise<{ readonly key: string; readonly record: DocumentRecord } | undefined> {
    const content = await this.storage.read(idKey(id));
    if (content === undefined) return undefined;
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    const named = JSON.parse(Buffer.concat(parts).toString('utf8')) as { key: string; bytes: number };
    const record = parseContentKey(named);
    if (record?.id !== id) throw new DocumentStoreError(`The object ${idKey(id)} names another document`);
    return { key: named.key, record };
  }
}

function prefixesOf({ participants }: DocumentFilter): readonly string[] {
  if (participants === undefined) return [DOCUMENTS];
  return DOCUMENT_KINDS.flatMap((kind) => participants.map((code) => participantPrefix(kind, code)));
}

function isListed(record: DocumentRecord, filter: DocumentFilter): boolean {
  const { markets, reference, idBeginning = '', since, until, after } = filter;
  const storedAt = Date.parse(record.storedAt);
  return (
    (markets?.includes(record.market) ?? true) &&
    (reference === undefined || reference === record.reference) &&
    record.id.startsWith(idBeginning) &&
    (since === undefined || storedAt >= since.getTime()) &&
    (until === undefined || storedAt < until.getTime()) &&
    (after === undefined || newestFirst(after, record) < 0)
  );
}

type Place = Pick<DocumentRecord, 'id' | 'storedAt'>;

function newestFirst(one: Place, other: Place): number {
  if (one.storedAt !== other.storedAt) return one.storedAt > other.storedAt ? -1 : 1;
  return one.id > other.id ? -1 : Number(one.id < other.id);
}
