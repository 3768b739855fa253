import type { DocumentKey, DocumentRecord } from '../document.js';
import {
  DocumentStoreError,
  MAX_REMOVED,
  TooManyDocumentsError,
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
import type { ListedObject, ObjectStorage } from './object-storage.js';

/** More documents than this are not read for one list. */
const MAX_LISTED = 100_000;
/** The pages of a list, and the lists of several callers, share what was read within this time. */
const LISTING_MS = 10_000;

/** Documents as objects of a storage that only knows names and bytes. */
export class ObjectDocumentStore implements DocumentStore {
  /** Bytes of all documents; undefined when they must be counted. */
  private storedBytes: number | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private readonly listings = new Map<string, Promise<readonly DocumentRecord[]>>();

  /** @param maxBytes of all documents together. Writers of other processes are noticed by the next `usage`. */
  constructor(
    private readonly storage: ObjectStorage,
    private readonly maxBytes: number = 0,
    private readonly maxListed: number = MAX_LISTED,
  ) {}

  /** Two pollers may store a document of one key at the same time. The earlier one is that of the key. */
  async find(key: DocumentKey): Promise<DocumentRecord | undefined> {
    let first: DocumentRecord | undefined;
    for await (const object of this.storage.list(keyPrefix(key))) {
      const record = parseContentKey(object.key);
      if (record !== undefined && (first === undefined || newestFirst(first, record) < 0)) first = record;
    }
    return first;
  }

  put(record: DocumentRecord, content: Uint8Array): Promise<PutResult> {
    return this.inTurn(async () => {
      const known = await this.find(record);
      if (known !== undefined) return { outcome: 'known', record: known };
      const storedBytes = this.storedBytes ?? (await this.count()).bytes;
      this.storedBytes = storedBytes;
      if (storedBytes + record.bytes > this.maxBytes) return { outcome: 'full', storedBytes };
      this.storedBytes = undefined;
      const key = contentKey(record);
      // A document that `find` returns can be read by its id, also after a crash between the two.
      await this.storage.put(idKey(record.id), Buffer.from(key));
      await this.storage.put(key, content);
      this.storedBytes = storedBytes + record.bytes;
      this.listings.clear();
      return { outcome: 'stored', record };
    });
  }

  async get(id: string): Promise<DocumentRecord | undefined> {
    return (await this.findById(id))?.record;
  }

  async open(id: string): Promise<OpenedDocument | undefined> {
    const found = await this.findById(id);
    if (found === undefined) return undefined;
    const { record, object } = found;
    if (object.bytes !== record.bytes)
      throw new DocumentStoreError(
        `The document ${id} is damaged: its storage has ${object.bytes} bytes, but ${record.bytes} were stored`,
      );
    return { record, content: verifiedContent(record, this.storage.open(object.key)) };
  }

  async list(filter: DocumentFilter): Promise<DocumentRecord[]> {
    const found: DocumentRecord[] = [];
    let read = 0;
    for (const prefix of prefixesOf(filter)) {
      const listing = await this.listingOf(prefix);
      this.assertListable((read += listing.length));
      for (const record of listing) if (isListed(record, filter)) found.push(record);
    }
    return found.sort(newestFirst).slice(0, filter.limit);
  }

  async removeBefore(time: Date): Promise<DocumentRecord[]> {
    const removed: DocumentRecord[] = [];
    for await (const { key } of this.storage.list(DOCUMENTS)) {
      const record = parseContentKey(key);
      if (record === undefined || Date.parse(record.storedAt) >= time.getTime()) continue;
      // The list has the content, so a removal that was interrupted is repeated.
      await this.storage.remove(idKey(record.id));
      if (await this.storage.remove(key)) removed.push(record);
      if (removed.length === MAX_REMOVED) break;
    }
    if (removed.length > 0) this.storedBytes = undefined;
    this.listings.clear();
    if (removed.length < MAX_REMOVED) await this.storage.tidy();
    return removed;
  }

  usage(): Promise<DocumentUsage> {
    return this.inTurn(async () => {
      const usage = await this.count();
      this.storedBytes = usage.bytes;
      return usage;
    });
  }

  close(): Promise<void> {
    return this.storage.close();
  }

  /** Documents are stored one after the other, so that each is compared with the size of the store that has all earlier ones. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async count(): Promise<DocumentUsage> {
    let [documents, bytes] = [0, 0];
    let oldest: string | undefined;
    for await (const object of this.storage.list(DOCUMENTS)) {
      const record = parseContentKey(object.key);
      if (record === undefined) continue;
      documents += 1;
      bytes += object.bytes;
      if (oldest === undefined || record.storedAt < oldest) oldest = record.storedAt;
    }
    return { documents, bytes, oldest: oldest === undefined ? undefined : new Date(oldest) };
  }

  private async findById(
    id: string,
  ): Promise<{ readonly object: ListedObject; readonly record: DocumentRecord } | undefined> {
    const key = (await this.storage.read(idKey(id)))?.toString('utf8');
    if (key === undefined) return undefined;
    const record = parseContentKey(key);
    if (record?.id !== id) throw new DocumentStoreError(`The object ${idKey(id)} names another document`);
    for await (const object of this.storage.list(keyPrefix(record)))
      if (object.key === key) return { object, record };
    return undefined;
  }

  private listingOf(prefix: string): Promise<readonly DocumentRecord[]> {
    const known = this.listings.get(prefix);
    if (known !== undefined) return known;
    const listing = this.readListing(prefix);
    const forget = (): void => {
      if (this.listings.get(prefix) === listing) this.listings.delete(prefix);
    };
    this.listings.set(prefix, listing);
    listing.then(() => setTimeout(forget, LISTING_MS).unref(), forget);
    return listing;
  }

  /** The first document of each key. */
  private async readListing(prefix: string): Promise<readonly DocumentRecord[]> {
    const firsts = new Map<string, DocumentRecord>();
    let read = 0;
    for await (const { key } of this.storage.list(prefix)) {
      this.assertListable((read += 1));
      const record = parseContentKey(key);
      if (record === undefined) continue;
      const folder = keyPrefix(record);
      const first = firsts.get(folder);
      if (first === undefined || newestFirst(first, record) < 0) firsts.set(folder, record);
    }
    return [...firsts.values()];
  }

  private assertListable(count: number): void {
    if (count > this.maxListed)
      throw new TooManyDocumentsError(
        `A list reads at most ${this.maxListed} documents: name fewer participants`,
      );
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
