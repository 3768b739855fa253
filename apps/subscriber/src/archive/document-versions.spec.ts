import { waitFor } from '@ssb/testing';
import { verifiedEntry, type VerifiedEntryOptions } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  readDepth,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { StoredEntries } from '../../test/support/stored-entries.js';
import { releaseEntries } from '../quarantine/release-entries.js';
import type { Archive } from './archive.js';
import { findRestatedRepeats } from './document-versions.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');
const VERSION = '["statement","WPGENCO","WEM|2026-03-01|INITIAL",4803]';
const OF_EVENT = { kind: 'repeat', of: 'event' };
const OF_VERSION = { kind: 'repeat', of: 'document-version' };
const ARCHIVED = expect.objectContaining({ kind: 'archived', marks: ['late'], timing: 'now' });

const entry = (id: string, change: Partial<VerifiedEntryOptions> = {}) =>
  verifiedEntry({
    id,
    type: 'settlementbus.statement.revised.v1',
    time: '2026-03-01T00:00:00+08:00',
    documentVersion: VERSION,
    sinks: ['a'],
    ...change,
  });
const restated = (id: string, change: Partial<VerifiedEntryOptions> = {}) =>
  entry(id, { type: 'settlementbus.statement.published.v1', isRestated: true, ...change });

describe('an event that restates a version of a document', () => {
  let storage: SubscriberDatabase;
  let archive: Archive;
  let reader: ReaderToken;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    archive = createArchive(storage.database);
  });
  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
  });
  afterAll(() => storage.close());

  const record = (...entries: ReturnType<typeof entry>[]) => archive.recordEntries(entries, NOW, reader);
  const archivedIds = async () =>
    (await new StoredEntries(storage.database).listArchived()).map(({ eventId }) => eventId);

  it('is dropped without an alert when the archive holds the version, however often it comes', async () => {
    await record(entry('revision'));
    expect(await record(restated('again'))).toEqual([OF_VERSION]);
    expect(await record(restated('again'), restated('another'))).toEqual([OF_VERSION, OF_VERSION]);
    expect(await archivedIds()).toEqual(['revision']);
    expect(await readDepth(storage.database)).toEqual(new Map([['a', 1]]));
  });

  it.each<[string, Partial<VerifiedEntryOptions>]>([
    ['the archive holds another version', { documentVersion: VERSION.replace('4803', '4804') }],
    ['it is not marked as restated', { isRestated: false }],
    ['its data name no version', { documentVersion: undefined }],
  ])('is archived when %s', async (_, change) => {
    await record(entry('revision'));
    expect(await record(restated('new', change))).toEqual([ARCHIVED]);
  });

  it('is a repeat of its own event when that is archived', async () => {
    expect(await record(restated('first'))).toEqual([ARCHIVED]);
    expect(await record(restated('first', { messageId: 'another' }))).toEqual([OF_EVENT]);
  });

  it('is dropped when the version comes before it in its batch, and not when it comes after it', async () => {
    expect(await record(entry('revision'), restated('later'))).toEqual([ARCHIVED, OF_VERSION]);
    await storage.clear();
    reader = await storage.newReader();
    expect(await record(restated('earlier'), entry('revision'), restated('later'))).toEqual([
      ARCHIVED,
      ARCHIVED,
      OF_VERSION,
    ]);
  });

  it('leaves its id free for an event of the same id that is not restated', async () => {
    await record(entry('revision'));
    await record(restated('run'));
    expect(await record(restated('run', { isRestated: false }))).toEqual([ARCHIVED]);
  });

  it('is dropped when it is released from the quarantine', async () => {
    await record(entry('revision'));
    const [result] = await releaseEntries(
      archive,
      [{ offset: 1n, quarantinedAt: NOW, entry: restated('quarantined') }],
      NOW,
      reader,
    );
    expect(result).toEqual(OF_VERSION);
  });

  it('waits for another transaction that archives the version', async () => {
    const order: string[] = [];
    let recorded: Promise<unknown> | undefined;
    await storage.database.transaction(async (session) => {
      await findRestatedRepeats(session, [entry('other')]);
      recorded = record(restated('again')).then(() => order.push('recorded'));
      await waitForLock(storage);
      order.push('committed');
    });
    await recorded;
    expect(order).toEqual(['committed', 'recorded']);
  });

  it('is looked up with an index', async () => {
    const plan = await storage.database.transaction(async (session) => {
      await session.query('SET LOCAL enable_seqscan = off');
      return session.query<{ 'QUERY PLAN': string }>(
        'EXPLAIN SELECT document_version, event_id FROM archive WHERE document_version = ANY ($1::text[])',
        [[VERSION]],
      );
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('archive_document_version');
  });
});

const ADVISORY_WAITS = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** Resolves when a transaction waits for an advisory lock. */
function waitForLock({ server }: SubscriberDatabase): Promise<unknown> {
  return waitFor('a transaction that waits', async () => (await server.query(ADVISORY_WAITS)).length > 0);
}
