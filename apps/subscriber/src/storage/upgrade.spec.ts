import { createSchema, Database } from '@ssb/postgres';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { verifiedEntry } from '../../test/support/archive-entries.js';
import { createArchive, newReader } from '../../test/support/subscriber-database.js';
import { migrations, SCHEMA } from './database-options.js';
import { recordParticipants } from './participants.js';
import { RecheckStore } from './recheck-store.js';

const ROW = {
  columns: `event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
            appended_at_nanos, archived_at, event`,
  values: `'type', 'subject', 'WPGENCO', lpad($2, 20, '0'), 'time', 'time', 'channel', 'm', 'sender', 'origin', 'signature', 1,
           $3::timestamptz, '{}'`,
};

describe('an upgrade of a database with events', () => {
  let server: TestDatabase;
  beforeAll(async () => {
    server = await createTestDatabase();
  });
  afterAll(() => server.close());

  it('knows participants since their first event, the highest sequences, and the size of the quarantine', async () => {
    const passwords = { run: 'run', migration: 'migration' };
    const upTo = (id: string) =>
      migrations.slice(0, migrations.findIndex((each) => each.id.startsWith(id)) + 1);
    await createSchema(server.adminUrl, { schema: SCHEMA, migrations: upTo('002'), passwords });
    for (const [id, sequence, archivedAt] of [
      ['e1', '9', '2026-03-02T00:00:00Z'],
      ['e2', '10', '2026-03-03T00:00:00Z'],
    ]) {
      await server.query('INSERT INTO subscriber.inbox VALUES ($1, now())', [id]);
      await server.query(`INSERT INTO subscriber.archive (${ROW.columns}) VALUES ($1, ${ROW.values})`, [
        id,
        sequence,
        archivedAt,
      ]);
    }
    await server.query(
      `INSERT INTO subscriber.quarantine (channel, message_id, sender, signature, appended_at_nanos, reason, detail, payload,
                                          payload_bytes, quarantined_at)
       VALUES ('channel', 'm', 'sender', 'signature', 1, 'stale', 'detail', 'four', 4, '2026-03-02T00:00:00Z')`,
    );
    const url = await createSchema(server.adminUrl, { schema: SCHEMA, migrations, passwords });
    expect(await server.query('SELECT code, alerts_since FROM subscriber.participant')).toEqual([
      { code: 'WPGENCO', alerts_since: new Date('2026-03-02T00:00:00Z') },
    ]);
    expect(await server.query('SELECT subject, highest FROM subscriber.subject_sequence')).toEqual([
      { subject: 'subject', highest: '10'.padStart(20, '0') },
    ]);
    const [status] = await server.query(
      'SELECT trusted_bytes, untrusted_bytes, evaluated_with FROM subscriber.quarantine_status',
    );
    expect(status).toEqual({ trusted_bytes: '0', untrusted_bytes: '4', evaluated_with: null });

    // BETA has no archived event. Its first start records it now, after its message was quarantined.
    const database = new Database({ url, schema: SCHEMA });
    await recordParticipants(database, ['BETA']);
    const [open] = await new RecheckStore(database).listOpen(0n, 1_000n);
    if (open === undefined) throw new Error('no open message');
    const reader = await newReader(database);
    const archive = createArchive(database, {
      participants: () => ['BETA'],
      alertsSince: () => new Map(),
    });
    const entry = verifiedEntry({ id: 'e3', participant: 'BETA', time: '2026-03-01T23:30:00Z' });
    expect(await archive.releaseEntries([{ ...open, entry }], new Date(), reader)).toMatchObject([
      { kind: 'archived', delivery: 'now' },
    ]);
    const unknown = verifiedEntry({ id: 'e4', participant: 'GAMMA', time: new Date().toISOString() });
    expect(await archive.recordEntries([unknown], new Date(), reader)).toMatchObject([
      { kind: 'archived', delivery: 'now' },
    ]);
    await database.close();
  });
});
