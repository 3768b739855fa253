import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import {
  createArchive,
  openSubscriberDatabase,
  readDepth,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { Archive } from './archive.js';
import { StoredEntries } from '../../test/support/stored-entries.js';
import { verifiedEntry, rejectedEntry } from '../../test/support/archive-entries.js';
import { MAX_SHORTENED_PAYLOAD_BYTES } from '../quarantine/domain/quarantine-storage.js';
import type { ArchiveEntry } from './archive-entries.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');

describe('Archive', () => {
  let storage: SubscriberDatabase;
  let archive: Archive;
  let queries: StoredEntries;
  let reader: ReaderToken;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    archive = createArchive(storage.database);
    queries = new StoredEntries(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
  });
  afterAll(() => storage.close());

  const record = async (entries: readonly ArchiveEntry[], by = reader) =>
    (await archive.recordEntries(entries, NOW, by)).map(({ kind }) => kind);

  it('archives an event byte for byte, with its proofs', async () => {
    const text =
      '{"id":"e1", "amount":"12345678901234567890123.12345678","name":"Ünïcode \\u0000 \u{1F50C}"}';
    const entry = verifiedEntry({ id: 'e1', text });
    expect(await record([entry])).toEqual(['archived']);
    const [event] = await queries.listArchived();
    expect(event).toMatchObject({
      eventId: 'e1',
      text,
      messageId: 'message-of-e1',
      sender: entry.message.sender,
      origin: entry.origin,
      signature: entry.message.signature,
      appendedAtNanos: 1_700_000_000_123_456_789n,
      archivedAt: NOW,
      time: '2026-03-02T08:00:00+08:00',
    });
  });

  it('drops a known event id, also from another message, transaction, topic or channel', async () => {
    await record([verifiedEntry({ id: 'e1', sinks: ['a'] })]);
    const again = verifiedEntry({ id: 'e1', messageId: 'another', sinks: ['a'] });
    const moved = (change: Partial<typeof again.message>) => ({
      ...again,
      message: { ...again.message, ...change },
    });
    const repeats = [
      again,
      moved({ transactionId: 'another' }),
      moved({ topic: 'another' }),
      moved({ fqcn: again.message.fqcn.replace('prudential', 'settlement') }),
    ];
    for (const repeat of repeats) expect(await record([repeat])).toEqual(['repeat']);
    expect(await record(repeats)).toEqual(Array(repeats.length).fill('repeat'));
    expect(await queries.listArchived()).toHaveLength(1);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
  });

  it('drops a repeat within one batch and keeps the first', async () => {
    const batch = [
      verifiedEntry({ id: 'e1', messageId: 'm1' }),
      verifiedEntry({ id: 'e2', messageId: 'm2' }),
      verifiedEntry({ id: 'e1', messageId: 'm3' }),
    ];
    expect(await record(batch)).toEqual(['archived', 'archived', 'repeat']);
    const listed = await queries.listArchived();
    expect(listed.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
  });

  it('quarantines a rejected message once', async () => {
    const bad = rejectedEntry({ id: 'm9', reason: 'schema', detail: '/data/total is missing' });
    expect(await record([bad, verifiedEntry({ id: 'e1' }), { ...bad }])).toEqual([
      'quarantined',
      'archived',
      'repeat',
    ]);
    expect(await record([bad])).toEqual(['repeat']);
    const [kept, ...more] = await queries.listQuarantined();
    expect(more).toEqual([]);
    expect(kept).toMatchObject({
      messageId: 'm9',
      reason: 'schema',
      detail: '/data/total is missing',
      appendedAtNanos: 1_700_000_000_123_456_789n,
      quarantinedAt: NOW,
    });
    expect(kept?.payload.toString()).toBe(bad.message.payload);
  });

  it('stores text that PostgreSQL refuses, and a bounded part of a large payload', async () => {
    const payload = `\u0000\uD800${'x'.repeat(200_000)}`;
    const hostile = rejectedEntry({
      id: 'a\u0000b',
      payload,
      signature: 'y'.repeat(100_000),
      sender: '\uDC00',
    });
    expect(await record([hostile])).toEqual(['quarantined']);
    const [kept] = await queries.listQuarantined();
    expect(kept?.payload).toHaveLength(MAX_SHORTENED_PAYLOAD_BYTES);
    expect(kept?.payload[0]).toBe(0);
    expect(kept?.payloadBytes).toBe(Buffer.byteLength(payload));
    expect(kept?.signature.length).toBeLessThan(1_000);
  });

  it('writes all of a batch or nothing', async () => {
    const broken = verifiedEntry({ id: 'broken', subject: 'no \u0000 can be stored' });
    const batch = [verifiedEntry({ id: 'e1', sinks: ['a'] }), rejectedEntry({}), broken];
    await expect(record(batch)).rejects.toThrow();
    expect(await queries.listArchived()).toEqual([]);
    expect(await queries.listQuarantined()).toEqual([]);
    expect(await readDepth(storage.database)).toEqual(new Map());
    expect(await record([verifiedEntry({ id: 'e1' })])).toEqual(['archived']);
  });

  it('writes nothing for a replica whose lease has expired, or that no longer reads the channels', async () => {
    const batch = [verifiedEntry({ id: 'e1', sinks: ['a'] }), rejectedEntry({})];
    await storage.database.query('UPDATE replica SET expires_at = clock_timestamp()');
    await expect(record(batch)).rejects.toThrow(LeaseLostError);
    await storage.database.query('DELETE FROM replica');
    const next = await storage.newReader();
    expect(next.fencingToken).toBeGreaterThan(reader.fencingToken);
    await expect(record(batch)).rejects.toThrow(LeaseLostError);
    expect(await queries.listArchived()).toEqual([]);
    expect(await queries.listQuarantined()).toEqual([]);
    expect(await record(batch, next)).toEqual(['archived', 'quarantined']);
  });

  it('lets the app neither change nor delete received messages', async () => {
    await record([verifiedEntry({ id: 'e1' }), rejectedEntry({})]);
    for (const table of ['inbox', 'archive', 'quarantine']) {
      await expect(storage.database.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(storage.database.query(`UPDATE archive SET event = ''`)).rejects.toMatchObject({
      code: '42501',
    });
  });
});
