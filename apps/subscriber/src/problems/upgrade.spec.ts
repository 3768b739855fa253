import { ALERT_REASON_NAMES, ALERT_REASONS } from '@ssb/events';
import { createSchema, Database } from '@ssb/postgres';
import { createTestDatabase, waitFor, type TestDatabase } from '@ssb/testing';
import { TEST_POLICY } from '../../test/support/archive-entries.js';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import { createArchive, newReader } from '../../test/support/subscriber-database.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';
import { rebuildProblems } from './rebuild-problems.js';

let server: TestDatabase;
let database: Database;

const migrate = (count: number): Promise<string> =>
  createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations: migrations.slice(0, count),
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });

beforeEach(async () => {
  server = await createTestDatabase();
});
afterEach(async () => {
  await database.close();
  await server.close();
});

interface EarlierDelivery {
  readonly sink: string;
  readonly kind?: 'alert' | 'notice';
  readonly state: 'pending' | 'parked' | 'delivered';
}

/** Stores an event with its deliveries as the release with migration 001 does. */
async function storeAsEarlier(entry: VerifiedEntry, ...deliveries: EarlierDelivery[]): Promise<void> {
  const { event, message } = entry;
  await server.query('INSERT INTO subscriber.inbox VALUES ($1, now())', [event.id]);
  await server.query(
    `INSERT INTO subscriber.archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
                                     signature, appended_at_nanos, archived_at, event)
     VALUES ($1, $2, $3, 'WPGENCO', $4, $5, $5, 'channel', $1, 'sender', 'origin', 'signature', 1, now(), $6)`,
    [event.id, event.type, event.subject, event.sequence, event.time, message.payload],
  );
  for (const { sink, kind = 'alert', state } of deliveries)
    await server.query(
      `INSERT INTO subscriber.delivery (event_id, sink, kind, subject, sequence, archive_offset, urgent, delivered_at, parked_until)
       SELECT event_id, $2, $3, subject, sequence, archive_offset, type LIKE '%.breached.v1',
              CASE $4 WHEN 'parked' THEN 'infinity'::timestamptz WHEN 'delivered' THEN now() END, CASE $4 WHEN 'parked' THEN now() END
       FROM subscriber.archive WHERE event_id = $1`,
      [event.id, sink, kind, state],
    );
}

const fault = (reason: string): VerifiedEntry =>
  problemEntry({
    id: reason,
    type: 'bridge.alert.raised',
    subject: `*/bridge/subscriber/${reason}`,
    sequence: 1,
    data: { reason, severity: 'critical', detail: '\u0000 "reason":"dead-letter"' },
  });

/** Another process of the earlier release becomes the reader, and ends. */
const readAsEarlier = () =>
  server.query(`INSERT INTO subscriber.reader_lease AS known (client_id, fencing_token) VALUES ('subscriber', 1)
    ON CONFLICT (client_id) DO UPDATE SET holder = NULL, fencing_token = known.fencing_token + 1`);
const readAsThisRelease = async () => {
  await server.query('UPDATE subscriber.reader_lease SET holder = NULL');
  return newReader(database);
};
const countRebuilds = async () =>
  (await server.query(`SELECT FROM subscriber.request WHERE kind = 'rebuild-problems'`)).length;

const DELIVERIES = `SELECT concat_ws(' ', delivery.event_id, sink, delivery.severity, problem.kind, problem_state) AS row
  FROM subscriber.delivery LEFT JOIN subscriber.problem USING (problem_id) ORDER BY delivery.archive_offset, sink`;
const SEVERITIES = `SELECT concat_ws(' ', event_id, event_severity) AS row FROM subscriber.archive ORDER BY archive_offset`;
const readRows = async (sql: string): Promise<unknown[]> => (await server.query(sql)).map(({ row }) => row);

it('an upgrade derives the problems of an earlier archive, and their alerts belong to them', async () => {
  await migrate(1);
  await readAsEarlier();
  await storeAsEarlier(marginEntry('warned', 'WARNING', 1), { sink: 'a', state: 'delivered' });
  await storeAsEarlier(
    marginEntry('breached', 'BREACHED', 2),
    { sink: 'b', state: 'parked' },
    { sink: 'c', state: 'pending', kind: 'notice' },
  );
  await storeAsEarlier(fault('heartbeat-missing'), { sink: 'a', state: 'pending' });
  await storeAsEarlier(fault('dead-letter'), { sink: 'a', state: 'pending' });
  const discrepancy = { type: 'invoice.discrepancy', subject: 'WPGENCO/invoice', sequence: 1 };
  await storeAsEarlier(problemEntry({ id: 'differs', ...discrepancy }), {
    sink: 'a',
    state: 'pending',
    kind: 'notice',
  });

  database = new Database({ url: await migrate(migrations.length), schema: SCHEMA });
  expect(await readRows(DELIVERIES)).toEqual([
    'warned a info',
    'breached b critical',
    'breached c critical',
    'heartbeat-missing a warning',
    'dead-letter a warning',
    'differs a info',
  ]);

  // A previous pod reads on, so nothing is derived yet.
  await readAsEarlier();
  await storeAsEarlier(marginEntry('deeper', 'BREACHED', 3), { sink: 'd', state: 'delivered' });
  expect(await countRebuilds()).toBe(0);
  await readAsThisRelease();
  const reader = await readAsThisRelease();
  expect(await countRebuilds()).toBe(1);

  // An alert of the new reader, before the problem is known to be older.
  const archive = createArchive(database);
  await archive.recordEntries([marginEntry('again', 'BREACHED', 4, { sinks: ['e'] })], new Date(), reader);
  await rebuildProblems(database, { verify: () => ({ ok: true }), policy: TEST_POLICY });
  expect(
    await readRows(
      `SELECT concat_ws(' ', kind, state, severity, worsened) AS row FROM subscriber.problem ORDER BY archive_offset`,
    ),
  ).toEqual(['bridge-fault open critical 0', 'margin open critical 1']);
  expect(await readRows(DELIVERIES)).toEqual([
    'warned a warning margin open',
    'breached b critical margin open',
    'breached c critical',
    'heartbeat-missing a critical bridge-fault open',
    'dead-letter a warning',
    'differs a info',
    'deeper d critical margin open',
    'again e critical margin open',
  ]);
  expect(await readRows(SEVERITIES)).toEqual([
    'warned warning',
    'breached critical',
    'heartbeat-missing critical',
    'dead-letter info',
    'differs info',
    'deeper critical',
    'again critical',
  ]);

  await archive.recordEntries([marginEntry('restored', 'OK', 5)], new Date(), reader);
  expect(
    await readRows(`SELECT sink AS row FROM subscriber.delivery WHERE kind = 'resolved' ORDER BY sink`),
  ).toEqual(['a', 'b', 'd', 'e']);

  // A rollback and the next upgrade, while people's requests are at their limit.
  await readAsEarlier();
  await server.query(
    `INSERT INTO subscriber.request (kind, author) SELECT 'test', 'jane' FROM generate_series(1, 999)`,
  );
  await readAsThisRelease();
  await readAsEarlier();
  await readAsThisRelease();
  expect(await countRebuilds()).toBe(3);
});

const calculation = (id: string): VerifiedEntry =>
  problemEntry({
    id,
    type: 'position.calculated',
    subject: 'WPGENCO/position',
    sequence: 1,
    data: {
      isForecast: false,
      calculatedAt: '2026-03-02T08:00:00',
      tradingDay: '2026-03-02T00:00:00',
      tradingMargin: 1,
    },
  });

it('what the earlier release archives and deletes during an upgrade is derived', async () => {
  const earlier = migrations.findIndex(({ id }) => id.startsWith('009'));
  database = new Database({ url: await migrate(earlier), schema: SCHEMA });
  await storeAsEarlier(calculation('kept'));
  await storeAsEarlier(calculation('deleted'));
  const admin = new Database({ url: server.adminUrl, schema: SCHEMA });
  const upgrade = await admin.transaction(async (session) => {
    await session.query(`INSERT INTO inbox VALUES ('added', now())`);
    await session.query(
      `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
                            appended_at_nanos, archived_at, event)
       SELECT 'added', type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
              appended_at_nanos, archived_at, event FROM archive WHERE event_id = 'kept'`,
    );
    await session.query(`DELETE FROM archive WHERE event_id = 'deleted'`);
    const applied = migrate(migrations.length);
    await waitFor('the lock of the triggers', async () => {
      const rows = await server.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = 'subscriber.archive'::regclass`,
      );
      return rows.length > 0;
    });
    return { applied };
  });
  await upgrade.applied;
  await admin.close();
  expect(
    await readRows(
      'SELECT event_id AS row FROM subscriber.calculation FULL JOIN subscriber.archive USING (archive_offset) ORDER BY archive_offset',
    ),
  ).toEqual(['kept', 'added']);
  expect(await readRows('SELECT calculations AS row FROM subscriber.calculation_summary')).toEqual([2, 2]);
});

it('requests of the earlier release are carried out after an upgrade', async () => {
  const earlier = migrations.findIndex(({ id }) => id.startsWith('008'));
  database = new Database({ url: await migrate(earlier), schema: SCHEMA });
  const recheck = () => database.query('INSERT INTO quarantine_recheck DEFAULT VALUES');
  await recheck();
  await migrate(migrations.length);
  await recheck();
  expect(await readRows('SELECT kind AS row FROM subscriber.request')).toEqual([
    'recheck-quarantine',
    'recheck-quarantine',
  ]);
  await database.query(
    `UPDATE request SET finished_at = now(), outcome = 'done', result = '{"evaluated": 3, "released": 2}'
     WHERE request_id = (SELECT max(request_id) FROM request)`,
  );
  expect(
    await readRows(
      `SELECT concat_ws(' ', evaluated, released, failure) AS row FROM subscriber.quarantine_recheck WHERE finished_at IS NOT NULL`,
    ),
  ).toEqual(['3 2', '3 2']);

  await server.query(`INSERT INTO subscriber.request (kind, author) VALUES ('silence', 'jane')`);
  await database.query(
    `INSERT INTO silence (silence_id, matchers, starts_at, ends_at, author, comment)
     SELECT request_id, '{}', now(), now() + interval '1 hour', author, 'why' FROM request WHERE kind = 'silence'`,
  );
  expect(
    await readRows(
      'SELECT silence_key = request_key AS row FROM subscriber.silence JOIN subscriber.request ON request_id = silence_id',
    ),
  ).toEqual([true]);
});

it('the migration leaves out the problems that only a person ends', () => {
  const sql = migrations[1]?.sql ?? '';
  const [, list = ''] = /~ \('"reason"\S+\((.*?)\)"'\)/s.exec(sql) ?? [];
  expect(list.match(/[a-z]+(-[a-z]+)+/g)?.sort()).toEqual(
    ALERT_REASON_NAMES.filter((reason) => !ALERT_REASONS[reason].clears).sort(),
  );
});
