import type { Occurrences } from '@ssb/faults';
import type { ReaderToken } from '../replica/reader-lease.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { rejectedEntry, verifiedEntry } from '../../test/support/archive-entries.js';
import type { Archive, ArchiveOptions } from '../archive/archive.js';
import type { ArchiveEntry } from '../archive/archive-entries.js';
import { StoredEntries } from '../../test/support/stored-entries.js';
import { RecheckStore } from './recheck-store.js';
import { releaseEntries, type ReleasableEntry } from './release-entries.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');
const KIB = 1024;
const trustedSource = { sender: 'did:ethr:0x1', participant: 'WPGENCO' };

describe('the quarantine', () => {
  let storage: SubscriberDatabase;
  let queries: StoredEntries;
  let store: RecheckStore;
  let reader: ReaderToken;
  let raised: Occurrences[];

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    queries = new StoredEntries(storage.database);
    store = new RecheckStore(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
    raised = [];
  });
  afterAll(() => storage.close());

  const archive = (change: Partial<ArchiveOptions> = {}): Archive =>
    createArchive(storage.database, {
      faults: {
        raiseWithin: async (_, occurrences) => {
          raised.push(...occurrences);
          return [];
        },
      },
      ...change,
    });
  const record = (entries: readonly ArchiveEntry[], change?: Partial<ArchiveOptions>) =>
    archive(change).recordEntries(entries, NOW, reader);
  const release = async (...entries: ReleasableEntry[]) =>
    (await releaseEntries(archive(), entries, NOW, reader)).map(({ kind }) => kind);
  const listOpen = () => store.listOpen(0n, 1_000_000n);
  const use = async () => (await store.readState()).use;

  it('raises an operational alert for a new message of a trusted source, in the same transaction', async () => {
    const bad = rejectedEntry({ id: 'm1', reason: 'schema', detail: 'wrong', trustedSource });
    const failing = { raiseWithin: () => Promise.reject(new Error('no alert')) };
    await expect(record([bad], { faults: failing })).rejects.toThrow('no alert');
    expect(await queries.listQuarantined()).toEqual([]);
    await record([bad, rejectedEntry({ id: 'm2' })]);
    await record([bad]);
    expect(raised).toEqual([
      {
        topic: {
          app: 'subscriber',
          reason: 'message-quarantined',
          participant: 'WPGENCO',
          channel: bad.message.fqcn,
          sender: 'did:ethr:0x1',
        },
        count: 1,
        detail: 'schema: wrong',
      },
    ]);
  });

  it('stores what a later evaluation may accept whole, and nothing of a payload beyond its limit', async () => {
    const payload = 'x'.repeat(100 * KIB);
    const quarantineMaxBytes = 250 * KIB;
    const add = (id: string, reason: 'sender-not-allowed' | 'not-an-event') =>
      record([rejectedEntry({ id, reason, payload, trustedSource })], { quarantineMaxBytes });
    await add('whole', 'sender-not-allowed');
    await add('junk', 'not-an-event');
    expect(await use()).toEqual({ trustedBytes: 164 * KIB, untrustedBytes: 0 });
    expect(raised.some(({ topic }) => topic.reason === 'quarantine-full')).toBe(false);
    await add('beyond', 'sender-not-allowed');
    const sizes = (await queries.listQuarantined()).map(({ payload }) => payload.length / KIB);
    expect(sizes).toEqual([100, 64, 0]);
    expect(raised.some(({ topic }) => topic.reason === 'quarantine-full')).toBe(true);
    expect((await listOpen()).map(({ message }) => message.id)).toEqual(['whole']);
  });

  it('returns open messages as they were received, in pages of bounded size', async () => {
    const payload = `{"text":"Ünïcode ${'x'.repeat(1024 * KIB)}"}`;
    const entries = Array.from({ length: 6 }, (_, at) =>
      rejectedEntry({
        id: `m${at}`,
        reason: 'schema',
        payload,
        topic: undefined,
        transactionId: undefined,
        trustedSource,
      }),
    );
    await record(entries, { quarantineMaxBytes: 100_000_000 });
    const page = await listOpen();
    expect(page.map(({ message }) => message)).toEqual(entries.slice(0, 4).map(({ message }) => message));
    const rest = await store.listOpen(page.at(-1)?.offset ?? 0n, 1_000_000n);
    expect(rest.map(({ message }) => message.id)).toEqual(['m4', 'm5']);
  });

  it('releases a message with its event, keeps its row, and frees its bytes', async () => {
    await record([rejectedEntry({ id: 'm1', reason: 'origin-not-allowed' }), rejectedEntry({ id: 'm2' })]);
    const before = await use();
    expect(before.trustedBytes).toBe(0);
    const [open] = await listOpen();
    const offset = open?.offset ?? 0n;
    const entry = verifiedEntry({ id: 'e1', sinks: ['a'] });
    const open1 = { offset, quarantinedAt: NOW, entry };
    expect(await release(open1)).toEqual(['archived']);
    expect(await release(open1)).toEqual(['repeat']);
    const rows = await queries.listQuarantined();
    expect(rows.map(({ reason, releasedAt }) => [reason, releasedAt])).toEqual([
      ['origin-not-allowed', NOW],
      ['signer-mismatch', undefined],
    ]);
    expect(await use()).toEqual({ trustedBytes: 0, untrustedBytes: before.untrustedBytes / 2 });
    expect((await listOpen()).map(({ message }) => message.id)).toEqual(['m2']);
    expect(await queries.listArchived()).toHaveLength(1);
  });

  it('lets the app change nothing of a message except that it was released', async () => {
    await record([rejectedEntry({})]);
    for (const column of ['reason', 'payload', 'quarantined_at'])
      await expect(storage.database.query(`UPDATE quarantine SET ${column} = DEFAULT`)).rejects.toMatchObject(
        { code: '42501' },
      );
    await expect(
      storage.database.query(`INSERT INTO participant VALUES ('WPGENCO', now())`),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(storage.database.query('DELETE FROM inbox_horizon')).rejects.toMatchObject({
      code: '42501',
    });
  });
});
