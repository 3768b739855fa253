import { randomBytes } from 'node:crypto';
import type { Occurrences } from '@ssb/faults';
import { Database } from '@ssb/postgres';
import { rejectedEntry, verifiedEntry } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { Archive } from '../archive/archive.js';
import type { ArchiveEntry, RecordResult } from '../archive/archive-entries.js';
import { StoredEntries } from '../../test/support/stored-entries.js';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { advanceIdentities, type AdvancedIdentity } from '../archive/identities.js';
import { recordBatch } from './record-batch.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');

let storage: SubscriberDatabase;
let queries: StoredEntries;
let reader: ReaderToken;
let archive: Archive;
let raised: Occurrences[];
let advanced: AdvancedIdentity[];
let lost: ArchiveEntry[];

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  queries = new StoredEntries(storage.database);
  archive = createArchive(storage.database, {
    faults: {
      raiseWithin: (_, occurrences) => {
        raised.push(...occurrences);
        return Promise.resolve([]);
      },
    },
    onIdentitiesAdvanced: (identities) => advanced.push(...identities),
  });
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
  raised = [];
  advanced = [];
  lost = [];
});
afterAll(() => storage.close());

const recordWith = (by: Archive) => (part: readonly ArchiveEntry[]) => by.recordEntries(part, NOW, reader);
const record = async (entries: readonly ArchiveEntry[], recorded = new Map<ArchiveEntry, RecordResult>()) => {
  const onLost = (entry: ArchiveEntry): void => void lost.push(entry);
  const results = await recordBatch(entries, recordWith(archive), { recorded, onLost, onTimeout });
  return results.map(({ kind }) => kind);
};
const onTimeout = (): never => {
  throw new Error('The statement took too long.');
};

const withNul = (id: string) =>
  verifiedEntry({ id, time: 'a NUL \u0000', text: `{"id":"${id}","name":"–"}` });
/** Longer than an entry of an index may be, and not compressible. */
const withLongSubject = (id: string) =>
  verifiedEntry({ id, subject: randomBytes(8_000).toString('base64'), sinks: ['a'] });

describe('a message that can never be stored', () => {
  it('is parked with its bytes and reported, and the others of its batch are stored', async () => {
    const batch = [
      verifiedEntry({ id: 'e1' }),
      withNul('e2'),
      verifiedEntry({ id: 'e3' }),
      rejectedEntry({ id: 'm4' }),
      withLongSubject('e5'),
      verifiedEntry({ id: 'e6' }),
    ];
    expect(await record(batch)).toEqual([
      'archived',
      'quarantined',
      'archived',
      'quarantined',
      'quarantined',
      'archived',
    ]);
    const listed = await queries.listArchived();
    expect(listed.map(({ eventId }) => eventId)).toEqual(['e1', 'e3', 'e6']);
    const parked = await queries.listQuarantined();
    expect(parked.map(({ reason, messageId, payload }) => [reason, messageId, payload.toString()])).toEqual([
      ['not-storable', 'message-of-e2', batch[1]?.message.payload],
      ['signer-mismatch', 'm4', batch[3]?.message.payload],
      ['not-storable', 'message-of-e5', batch[4]?.message.payload],
    ]);
    expect(raised).toMatchObject([
      {
        topic: { reason: 'message-not-storable', participant: 'WPGENCO' },
        detail: expect.stringMatching(
          /^not-storable: settlementbus\.margin\.breached\.v1 e2: SQLSTATE 22021, /,
        ),
      },
      { detail: expect.stringMatching(/ e5: SQLSTATE 54000, program limit exceeded/) },
    ]);
    expect(await record(batch)).toEqual(Array(6).fill('repeat'));
    expect(raised).toHaveLength(2);
  });

  it('is parked in ASCII when even its sender cannot be stored, and is lost when nothing can', async () => {
    const { server } = storage;
    await server.query(
      `ALTER TABLE subscriber.quarantine ADD CONSTRAINT ascii CHECK (sender ~ '^[ -~]*$' AND message_id <> 'never')`,
    );
    try {
      const { message, ...entry } = withNul('e1');
      const parkable = { ...entry, message: { ...message, sender: 'did:é' } };
      const never = { ...entry, message: { ...message, id: 'never' } };
      expect(await record([parkable, never, verifiedEntry({ id: 'e2' })])).toEqual([
        'quarantined',
        'quarantined',
        'archived',
      ]);
      const [parked] = await queries.listQuarantined();
      expect([parked?.sender, parked?.payload.toString()]).toEqual(['did:?', message.payload]);
      expect(lost).toEqual([never]);
    } finally {
      await server.query('ALTER TABLE subscriber.quarantine DROP CONSTRAINT ascii');
    }
  });
});

it('a batch that takes longer than the timeout of a statement is halved until it is stored', async () => {
  const { server, url } = storage;
  const database = new Database({ url, schema: SCHEMA, timeouts: { statementMs: 1_000 } });
  await server.query(
    `CREATE FUNCTION subscriber.slow() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN IF (SELECT count(*) FROM added) > 4 THEN PERFORM pg_sleep(60); END IF; RETURN NULL; END';
     CREATE TRIGGER slow AFTER INSERT ON subscriber.archive REFERENCING NEW TABLE AS added
       FOR EACH STATEMENT EXECUTE FUNCTION subscriber.slow()`,
  );
  try {
    const sizes: number[] = [];
    const entries = Array.from({ length: 8 }, (_, at) => verifiedEntry({ id: `e${at}` }));
    const results = await recordBatch(entries, recordWith(createArchive(database)), {
      recorded: new Map(),
      onLost: (entry) => lost.push(entry),
      onTimeout: (_, count) => sizes.push(count),
    });
    expect(results.map(({ kind }) => kind)).toEqual(Array(8).fill('archived'));
    expect([sizes[0], lost]).toEqual([8, []]);
    expect(await queries.listArchived()).toHaveLength(8);
  } finally {
    await server.query('DROP FUNCTION subscriber.slow() CASCADE');
    await database.close();
  }
});

it('the results of a recorded half are kept when the other half fails', async () => {
  const { server } = storage;
  await server.query(
    `CREATE FUNCTION subscriber.disk_full() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE SQLSTATE ''53100''; END';
     CREATE TRIGGER disk_full BEFORE INSERT ON subscriber.archive FOR EACH ROW WHEN (NEW.event_id = 'e3')
     EXECUTE FUNCTION subscriber.disk_full()`,
  );
  const batch = [verifiedEntry({ id: 'e1' }), withNul('e2'), verifiedEntry({ id: 'e3' })];
  const recorded = new Map<ArchiveEntry, RecordResult>();
  try {
    await expect(record(batch, recorded)).rejects.toMatchObject({ code: '53100' });
  } finally {
    await server.query('DROP FUNCTION subscriber.disk_full() CASCADE');
  }
  expect(await record(batch, recorded)).toEqual(['archived', 'quarantined', 'archived']);
});

describe('an identity sequence that is behind', () => {
  it('is advanced beyond the rows, and the next attempt stores the messages', async () => {
    await record([verifiedEntry({ id: 'e1' }), verifiedEntry({ id: 'e2' })]);
    const [first] = await queries.listArchived();
    await storage.server.query(
      `ALTER SEQUENCE subscriber.archive_archive_offset_seq RESTART WITH ${first?.offset ?? 0n}`,
    );
    await expect(record([verifiedEntry({ id: 'e3' })])).rejects.toMatchObject({ constraint: 'archive_pkey' });
    expect(advanced).toMatchObject([{ table: 'archive' }]);
    expect(await record([verifiedEntry({ id: 'e3' })])).toEqual(['archived']);
    const listed = await queries.listArchived();
    expect(listed.map(({ eventId }) => eventId)).toEqual(['e1', 'e2', 'e3']);
    expect(await queries.listQuarantined()).toEqual([]);
  });

  it('is found at the start, before it fills a gap below the last offset', async () => {
    await record([verifiedEntry({ id: 'e1' })]);
    await record([verifiedEntry({ id: 'e2' })]);
    await storage.server.query(`DELETE FROM subscriber.archive WHERE event_id = 'e1'`);
    await storage.server.query('ALTER SEQUENCE subscriber.archive_archive_offset_seq RESTART WITH 1');
    await storage.server.query('ALTER SEQUENCE subscriber.replica_fencing_token_seq RESTART WITH 1');
    const found = await advanceIdentities(storage.database);
    expect(found.map(({ table }) => table)).toEqual(['archive', 'replica']);
    expect(await advanceIdentities(storage.database)).toEqual([]);
    expect(await record([verifiedEntry({ id: 'e3' })])).toEqual(['archived']);
    const listed = await queries.listArchived();
    expect(listed.map(({ eventId }) => eventId)).toEqual(['e2', 'e3']);
    await storage.newTerm();
  });
});
