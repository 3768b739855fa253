import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startTestS3, waitFor, type TestS3 } from '@ssb/testing';
import { documentOf, readAll } from '../../test/document-store.conformance.js';
import type { DocumentRecord } from '../document.js';
import { DocumentStoreError, TooManyDocumentsError } from '../document-store.js';
import { FolderStorage } from './folder-storage.js';
import { contentKey } from './object-keys.js';
import { ObjectDocumentStore } from './object-document-store.js';
import type { ObjectStorage } from './object-storage.js';
import { S3Storage, type S3Credentials, type S3StorageOptions } from './s3-storage.js';

const CONTENT = Buffer.from('content');
const MAX_BYTES = 100_000_000;

let s3: TestS3;
let root: string;

beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.stop());

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'documents-'));
  s3.objects.clear();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const openS3 = (change: Partial<S3StorageOptions> = {}): S3Storage => {
  const { url, region, accessKeyId, secretAccessKey } = s3;
  const credentials = (): S3Credentials => ({ accessKeyId, secretAccessKey });
  return new S3Storage({ url, region, credentials, connection: {}, timeoutMs: 30_000, ...change });
};

/** A storage with some other methods. */
const change = (storage: ObjectStorage, methods: Partial<ObjectStorage>): ObjectStorage =>
  new Proxy(storage, {
    get: (target, name: keyof ObjectStorage) => methods[name] ?? target[name].bind(target),
  });

const storeOf = (storage: ObjectStorage): ObjectDocumentStore => new ObjectDocumentStore(storage, MAX_BYTES);

describe.each([
  ['a folder', (): ObjectStorage => new FolderStorage(root)],
  ['an S3-compatible storage', (): ObjectStorage => openS3()],
])('documents in %s', (_, open) => {
  let storage: ObjectStorage;
  let store: ObjectDocumentStore;

  beforeEach(() => {
    storage = open();
    store = storeOf(storage);
  });
  afterEach(() => store.close());

  it.each([1, 2])(
    'that are known can be read, also when write %i of their storing failed',
    async (failing) => {
      let writes = 0;
      const put = async (key: string, content: Uint8Array): Promise<void> => {
        if ((writes += 1) === failing) throw new DocumentStoreError('no space');
        await storage.put(key, content);
      };
      const record = documentOf(CONTENT);
      const interrupted = storeOf(change(storage, { put }));
      await expect(interrupted.put(record, CONTENT)).rejects.toThrow('no space');
      const known = await store.find(record);
      expect(await store.get(record.id)).toEqual(known);
      expect(await store.open(record.id)).toEqual(known);
      const again = documentOf(CONTENT);
      expect(await interrupted.put(again, CONTENT)).toEqual({ outcome: 'stored', record: again });
      expect(await store.get(again.id)).toEqual(again);
    },
  );

  it('of two pollers with one key are listed once, and both can be read', async () => {
    const list = async function* (): AsyncGenerator<never> {};
    const late = documentOf(CONTENT, {}, 2);
    const early = documentOf(CONTENT, {}, 1);
    await store.put(late, CONTENT);
    await storeOf(change(storage, { list })).put(early, CONTENT);
    expect(await store.list({ limit: 10 })).toEqual([early]);
    expect(await store.find(late)).toEqual(early);
    for (const record of [early, late]) expect(await store.get(record.id)).toEqual(record);
  });

  it('are refused as damaged when their size is another one', async () => {
    const record = documentOf(CONTENT);
    await store.put(record, CONTENT);
    await storage.put(contentKey(record), CONTENT.subarray(1));
    await expect(store.open(record.id)).rejects.toThrow(
      `The document ${record.id} is damaged: its storage has 6 bytes, but 7 were stored`,
    );
  });

  it('hold nothing open until they are read', async () => {
    const record = documentOf(CONTENT);
    await store.put(record, CONTENT);
    const opened = jest.spyOn(storage, 'open');
    for (let count = 0; count < 20; count += 1) await store.open(record.id);
    const last = await store.open(record.id);
    expect((await readAll(last!.content)).equals(CONTENT)).toBe(true);
    expect(opened).toHaveBeenCalledTimes(21);
  });

  it('are listed for many requests with one reading, and a stored one is listed at once', async () => {
    const [first, second] = [documentOf(CONTENT, {}, 1), documentOf(CONTENT, { reference: 'INV-2' }, 2)];
    await store.put(first, CONTENT);
    const list = jest.spyOn(storage, 'list');
    for (let page = 0; page < 3; page += 1) expect(await store.list({ limit: 1 })).toEqual([first]);
    expect(list.mock.calls.filter(([prefix]) => prefix === 'documents/')).toHaveLength(1);
    await store.put(second, CONTENT);
    expect(await store.list({ limit: 1 })).toEqual([second]);
    await store.removeBefore(new Date(second.storedAt));
    expect(await store.list({ limit: 2 })).toEqual([second]);
  });

  it('that are too many for a list are refused', async () => {
    for (const reference of ['1', '2', '3']) await store.put(documentOf(CONTENT, { reference }), CONTENT);
    const small = new ObjectDocumentStore(storage, MAX_BYTES, 2);
    await expect(small.list({ limit: 1 })).rejects.toThrow(
      new TooManyDocumentsError('A list reads at most 2 documents: name fewer participants'),
    );
  });
});

describe('a folder', () => {
  const DAY_AGO = new Date(Date.now() - 90_000_000);
  const pathOf = (record: DocumentRecord): string => join(root, contentKey(record));

  it('that is missing is not an empty store', async () => {
    const missing = join(root, 'missing');
    const store = storeOf(new FolderStorage(missing));
    const record = documentOf(CONTENT);
    const message = /cannot be used: ENOENT/;
    await expect(store.list({ limit: 1 })).rejects.toThrow(message);
    await expect(store.find(record)).rejects.toThrow(message);
    await expect(store.get(record.id)).rejects.toThrow(message);
    await expect(store.usage()).rejects.toThrow(message);
    await expect(store.put(record, CONTENT)).rejects.toThrow(message);
    const writer = storeOf(new FolderStorage(missing, true));
    await writer.put(record, CONTENT);
    expect(await store.list({ limit: 1 })).toEqual([record]);
    rmSync(missing, { recursive: true });
    await expect(writer.put(record, CONTENT)).rejects.toThrow(message);
    expect(existsSync(missing)).toBe(false);
  });

  it('loses what a crash left behind only with a removal, after a day', async () => {
    const store = storeOf(new FolderStorage(root));
    const record = documentOf(CONTENT);
    await store.put(record, CONTENT);
    const [young, old] = [`${pathOf(record)}.1.draft`, `${pathOf(record)}.2.draft`] as const;
    const empty = join(root, 'ids', 'empty');
    for (const draft of [young, old]) writeFileSync(draft, 'draft');
    mkdirSync(empty);
    for (const path of [old, empty]) utimesSync(path, DAY_AGO, DAY_AGO);
    expect(await store.list({ limit: 10 })).toEqual([record]);
    expect([young, old, empty].map(existsSync)).toEqual([true, true, true]);
    expect(await store.removeBefore(new Date(0))).toEqual([]);
    expect([young, old, empty].map(existsSync)).toEqual([true, false, false]);
    expect(readdirSync(dirname(pathOf(record)))).toHaveLength(2);
  });

  it('reports a removed document to one of those that removed it', async () => {
    const stores = [1, 2, 3].map(() => storeOf(new FolderStorage(root)));
    for (const reference of ['1', '2', '3', '4'])
      await stores[0]!.put(documentOf(CONTENT, { reference }), CONTENT);
    const removed = await Promise.all(stores.map((store) => store.removeBefore(new Date())));
    expect(removed.flat()).toHaveLength(4);
  });
});

describe('an S3-compatible storage', () => {
  const LARGE = Buffer.alloc(20_000_000, 7);
  const record = documentOf(LARGE);

  afterEach(() => {
    s3.interruption = undefined;
  });

  const openDocument = async (store: ObjectDocumentStore): Promise<AsyncIterator<Uint8Array>> =>
    (await store.open(record.id))!.content[Symbol.asyncIterator]();

  it('answers while as many documents as possible are read slowly, and refuses to open another', async () => {
    const store = storeOf(openS3());
    await store.put(record, LARGE);
    const readers = await Promise.all(Array.from({ length: 8 }, () => openDocument(store)));
    for (const reader of readers) await reader.next();
    expect(await store.get(record.id)).toEqual(record);
    const refused = await openDocument(store);
    await expect(refused.next()).rejects.toThrow('8 documents are read already; retry later');
    await readers[0]!.return!();
    const next = await openDocument(store);
    expect((await next.next()).done).toBe(false);
    for (const reader of [next, ...readers]) await reader.return!();
    await store.close();
  });

  it('does not wait for readers that stop reading', async () => {
    const store = storeOf(openS3({ maxOpenMs: 500 }));
    await store.put(record, LARGE);
    const readers = await Promise.all(Array.from({ length: 8 }, () => openDocument(store)));
    for (const reader of readers) await reader.next();
    await waitFor('a place', async () => {
      const next = await openDocument(store);
      const isOpen = await next.next().then(
        () => true,
        () => false,
      );
      await next.return!();
      return isOpen;
    });
    await expect(readers[0]!.next().then(() => readers[0]!.next())).rejects.toThrow('no end within 500 ms');
    await store.close();
  });

  it('says that a document ended early', async () => {
    const store = storeOf(openS3());
    await store.put(record, LARGE);
    s3.interruption = { afterBytes: 1_000, how: 'close' };
    const opened = openS3().open(contentKey(record));
    await expect(readAll(opened)).rejects.toThrow(DocumentStoreError);
    s3.interruption = undefined;
    await store.close();
  });

  it('that sends its responses too slowly does not respond', async () => {
    const storage = openS3({ timeoutMs: 100, maxOpenMs: 100 });
    s3.objects.set('ids/00/some', LARGE);
    s3.interruption = { afterBytes: 10, how: 'trickle' };
    await expect(storage.read('ids/00/some')).rejects.toThrow('no end within 100 ms');
    await expect(readAll(storage.open('ids/00/some'))).rejects.toThrow('no end within 100 ms');
    await storage.close();
  });
});
