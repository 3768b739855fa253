import { createHash, randomUUID } from 'node:crypto';
import type { DocumentRecord } from '../src/document.js';
import { DocumentStoreError, type DocumentStore } from '../src/document-store.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00.000Z');
const MEGABYTE = 1_048_576;

/** A document of WPGENCO that was stored on a day. */
export function documentOf(
  content: Uint8Array,
  change: Partial<DocumentRecord> = {},
  day = 0,
): DocumentRecord {
  return {
    kind: 'invoice',
    participant: 'WPGENCO',
    market: 'WEM',
    periodFrom: '2026-02-22',
    designation: 'INITIAL',
    reference: 'INV-1',
    version: 'a'.repeat(64),
    id: randomUUID(),
    sha256: createHash('sha256').update(content).digest('hex'),
    bytes: content.length,
    storedAt: new Date(START + day * DAY_MS + 7).toISOString(),
    ...change,
  };
}

export async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

export interface StoreAdapter {
  /** An empty store of this maximum size. */
  open(maxBytes: number): Promise<DocumentStore>;
  /** Another replica with the same storage. */
  openAgain(maxBytes: number): DocumentStore;
  /** Changes a byte of the content that the storage holds. */
  damage(record: DocumentRecord): Promise<void>;
}

/** The contract of DocumentStore; the spec of each implementation calls it once. */
export function describeDocumentStore(name: string, adapter: StoreAdapter): void {
  describe(`${name} keeps the contract of DocumentStore`, () => {
    let store: DocumentStore;

    beforeEach(async () => {
      store = await adapter.open(20 * MEGABYTE);
    });

    afterEach(() => store.close());

    const put = async (record: DocumentRecord, content: Uint8Array): Promise<string> =>
      (await store.put(record, content)).outcome;

    it('knows nothing of a document that it does not hold', async () => {
      const record = documentOf(Buffer.from('x'));
      expect(await store.find(record)).toBeUndefined();
      expect(await store.get(record.id)).toBeUndefined();
      expect(await store.open(record.id)).toBeUndefined();
      expect(await store.list({ limit: 10 })).toEqual([]);
      expect(await store.usage()).toEqual({ documents: 0, bytes: 0, oldest: undefined });
      expect(await store.removeBefore(new Date(START + 900 * DAY_MS))).toEqual([]);
    });

    it.each([1, MEGABYTE - 1, MEGABYTE, MEGABYTE + 1, 10 * MEGABYTE])(
      'holds a document of %i bytes, also for another replica',
      async (bytes) => {
        const content = Buffer.alloc(bytes, createHash('sha256').update(String(bytes)).digest());
        const record = documentOf(content);
        expect(await store.put(record, content)).toEqual({ outcome: 'stored', record });
        const other = adapter.openAgain(MEGABYTE);
        expect(await other.find({ ...record, id: randomUUID() } as DocumentRecord)).toEqual(record);
        expect(await other.get(record.id)).toEqual(record);
        const opened = await other.open(record.id);
        expect(opened?.record).toEqual(record);
        expect((await readAll(opened?.content ?? (async function* () {})())).equals(content)).toBe(true);
        await other.close();
      },
    );

    it('keeps the first document of a key, and stores one for each other key', async () => {
      const [first, second] = [Buffer.from('first'), Buffer.from('second')];
      const record = documentOf(first);
      expect(await put(record, first)).toBe('stored');
      expect(await store.put(documentOf(second), second)).toEqual({ outcome: 'known', record });
      const changes: readonly Partial<DocumentRecord>[] = [
        { participant: 'OTHER' },
        { market: 'STEM' },
        { periodFrom: '2026-03-01' },
        { designation: 'ADJ1' },
        { reference: 'INV-2' },
        { reference: '' },
        { reference: 'Ä/..%~ 1' },
        { participant: 'ü'.repeat(60) },
        { version: 'b'.repeat(64) },
      ];
      for (const change of changes) {
        const other = documentOf(second, change);
        expect(await store.put(other, second)).toEqual({ outcome: 'stored', record: other });
        expect(await store.find(other)).toEqual(other);
      }
      expect(await store.find(record)).toEqual(record);
      expect((await store.usage()).documents).toBe(1 + changes.length);
    });

    it('refuses what exceeds its size, and keeps what it holds', async () => {
      await store.close();
      store = await adapter.open(10);
      const [six, five, four] = [6, 5, 4].map((bytes) => Buffer.alloc(bytes, 7)) as [Buffer, Buffer, Buffer];
      const record = documentOf(six);
      expect(await put(record, six)).toBe('stored');
      expect(await store.put(documentOf(five, { reference: 'INV-2' }), five)).toEqual({
        outcome: 'full',
        storedBytes: 6,
      });
      expect(await put(documentOf(four, { reference: 'INV-2' }), four)).toBe('stored');
      expect(await put(documentOf(four, { reference: 'INV-3' }), four)).toBe('full');
      expect(await put(documentOf(six), six)).toBe('known');
      expect(await store.usage()).toMatchObject({ documents: 2, bytes: 10 });
    });

    it('stays within its size, and keeps one document of a key, when documents are stored at the same time', async () => {
      await store.close();
      store = await adapter.open(12);
      const five = Buffer.alloc(5, 7);
      const outcomesOf = (records: readonly DocumentRecord[]): Promise<string[]> =>
        Promise.all(records.map((record) => put(record, five)));
      const records = [1, 2, 3, 4, 5].map((number) => documentOf(five, { reference: `INV-${number}` }));
      expect((await outcomesOf(records)).sort()).toEqual(['full', 'full', 'full', 'stored', 'stored']);
      expect(await store.usage()).toMatchObject({ documents: 2, bytes: 10 });
      await store.removeBefore(new Date(START + DAY_MS));
      const same = [1, 2, 3].map(() => documentOf(five));
      expect((await outcomesOf(same)).sort()).toEqual(['known', 'known', 'stored']);
    });

    it('lists the newest first, by participant, market, reference and time, in pages', async () => {
      const content = Buffer.from('content');
      const records = [
        documentOf(content, {}, 0),
        documentOf(content, { market: 'STEM' }, 1),
        documentOf(content, { participant: 'OTHER' }, 2),
        documentOf(content, { reference: 'INV-4' }, 3),
        documentOf(content, { reference: 'INV-5' }, 3),
      ];
      for (const record of records) await put(record, content);
      const newest = records.toSorted(
        (one, other) => other.storedAt.localeCompare(one.storedAt) || other.id.localeCompare(one.id),
      );
      const list = (filter: object) => store.list({ limit: 10, ...filter });
      expect(await list({})).toEqual(newest);
      expect(await list({ limit: 2 })).toEqual(newest.slice(0, 2));
      expect(await list({ after: newest[0] })).toEqual(newest.slice(1));
      expect(await list({ after: newest[1], limit: 2 })).toEqual(newest.slice(2, 4));
      expect(await list({ participants: ['OTHER'] })).toEqual([records[2]]);
      expect(await list({ participants: [] })).toEqual([]);
      expect(await list({ markets: ['STEM', 'NSTEM'] })).toEqual([records[1]]);
      expect(await list({ reference: 'INV-5' })).toEqual([records[4]]);
      expect(await list({ idBeginning: records[1]?.id.slice(0, 10) })).toEqual([records[1]]);
      const dayTwo = new Date(records[2]?.storedAt ?? '');
      expect(await list({ since: dayTwo })).toEqual(newest.slice(0, 3));
      expect(await list({ until: dayTwo })).toEqual(newest.slice(3));
    });

    it('removes what is older than a time, and says what it removed', async () => {
      const content = Buffer.from('content');
      const records = [0, 1, 2].map((day) => documentOf(content, { reference: `INV-${day}` }, day));
      for (const record of records) await put(record, content);
      const [first, second, third] = records as [DocumentRecord, DocumentRecord, DocumentRecord];
      const removed = await store.removeBefore(new Date(third.storedAt));
      expect(removed.toSorted((one, other) => one.storedAt.localeCompare(other.storedAt))).toEqual([
        first,
        second,
      ]);
      expect(await store.open(first.id)).toBeUndefined();
      expect(await store.get(second.id)).toBeUndefined();
      expect(await store.find(first)).toBeUndefined();
      expect(await store.usage()).toEqual({
        documents: 1,
        bytes: content.length,
        oldest: new Date(third.storedAt),
      });
      expect(await put(documentOf(content, { reference: 'INV-0' }), content)).toBe('stored');
    });

    it('does not pass on the end of a damaged document', async () => {
      const content = Buffer.from('content');
      const record = documentOf(content);
      await put(record, content);
      await adapter.damage(record);
      const opened = await store.open(record.id);
      await expect(readAll(opened?.content ?? (async function* () {})())).rejects.toThrow(DocumentStoreError);
    });
  });
}
