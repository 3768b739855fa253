import { createLogger, Metrics } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { SCHEMA, writeRetention } from '@ssb/postgres/archive-schema';
import { verifiedEntry } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { ArchiveRetention } from './archive-retention.js';

const OLD = "now() - interval '36 days'";
const CALCULATED = 'position.calculated';

let storage: SubscriberDatabase;
/** The owner of the tables. */
let owner: Database;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  const url = new URL(storage.url);
  Object.assign(url, { username: 'subscriber_migration', password: 'migration' });
  owner = new Database({ url: url.href, schema: SCHEMA, connections: 1 });
});
beforeEach(async () => {
  await storage.clear();
  await writeRetention(owner, 35);
});
afterAll(async () => {
  await owner.close();
  await storage.close();
});

interface EventOptions {
  readonly type?: string;
  readonly data?: object;
  readonly subject?: string;
  readonly isYoung?: boolean;
}

/** Archives an event, 36 days ago by default. */
async function addEvent(
  id: string,
  { type = 'market.recovered', data = {}, subject = 's', isYoung = false }: EventOptions = {},
): Promise<void> {
  const time = isYoung ? 'now()' : OLD;
  await owner.query('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [id]);
  await owner.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event)
     VALUES ($1, $2, $3, 'P', lpad($1, 20, '0'), (${time})::text, (${time})::text, 'c', 'm', 's', 'o', 'x', 0, ${time}, $4)`,
    [id, `settlementbus.${type}.v1`, subject, JSON.stringify({ data })],
  );
  await owner.query(`UPDATE archive_insertion SET inserted_at = ${OLD}`);
}

/** Adds a delivery of the event, accepted 36 days ago. @param columns assignments that replace this */
async function addDelivery(id: string, columns = 'attempts = 1'): Promise<void> {
  await owner.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, created_at, delivered_at)
     SELECT event_id, 'a', 'notice', subject, sequence, archive_offset, archived_at, archived_at FROM archive WHERE event_id = $1`,
    [id],
  );
  await owner.query(`UPDATE delivery SET ${columns} WHERE event_id = $1`, [id]);
}

async function addProblem(id: string, endedAt: string): Promise<void> {
  await owner.query(
    `INSERT INTO problem (problem_id, kind, key, participant, state, severity, worst_severity, closed_by_person, since, opened_at, changed_at,
       figures, worst_figures, event_id, archive_offset, ended_at)
     VALUES ('p', 'margin', 'k', 'P', 'open', 'critical', 'critical', false, '', ${OLD}, ${OLD}, '{}', '{}', $1, 0, ${endedAt})`,
    [id],
  );
  await owner.query(
    `INSERT INTO problem_change (problem_id, number, kind, at, event_id, severity) VALUES ('p', 1, 'opened', ${OLD}, $1, 'critical')`,
    [id],
  );
}

const list = async (sql: string): Promise<unknown[]> =>
  (await owner.query<{ value: unknown }>(`SELECT (${sql}) AS value`)).flatMap(({ value }) => value);
const listEvents = () =>
  list('SELECT coalesce(array_agg(event_id ORDER BY archive_offset), $${}$$) FROM archive');

async function deleteExpired(): Promise<void> {
  const log = createLogger({ name: 'test', level: 'fatal', format: 'json' });
  const retention = new ArchiveRetention(
    { ARCHIVE_RETENTION_DAYS: 35 },
    storage.database,
    new Metrics(),
    log,
  );
  await retention.run(new AbortController().signal);
}

it('deletes an expired event with its deliveries, and refuses its replay', async () => {
  const archive = createArchive(storage.database);
  const reader = await storage.newReader();
  const record = async (...entries: readonly ReturnType<typeof verifiedEntry>[]) =>
    (await archive.recordEntries(entries, new Date(), reader)).map(({ kind }) => kind);
  const type = 'settlementbus.market.recovered.v1';
  const expired = verifiedEntry({ id: 'expired', type, sinks: ['a'], sequence: 7, documentVersion: 'v1' });
  expect(await record(expired, verifiedEntry({ id: 'young' }))).toEqual(['archived', 'archived']);
  await owner.query(`UPDATE archive SET archived_at = ${OLD} WHERE event_id = 'expired'`);
  await owner.query(`UPDATE delivery SET created_at = ${OLD}, delivered_at = ${OLD}`);
  await owner.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome) VALUES ('expired', 'a', 1, now(), 1, 'delivered')`,
  );

  await deleteExpired();
  expect(await listEvents()).toEqual(['young']);
  expect(await owner.query('SELECT event_id FROM delivery UNION ALL SELECT event_id FROM attempt')).toEqual(
    [],
  );
  const restated = verifiedEntry({ id: 'restated', type, documentVersion: 'v1', isRestated: true });
  expect(await record(expired, restated)).toEqual(['repeat', 'repeat']);
  expect(await list(`SELECT highest FROM subject_sequence WHERE subject = 'subject-of-expired'`)).toEqual([
    '00000000000000000007',
  ]);
});

it('deletes nothing without days', async () => {
  await writeRetention(owner, undefined);
  await addEvent('1');
  await deleteExpired();
  expect(await listEvents()).toEqual(['1']);
});

it.each([
  ['pending', 'delivered_at = NULL'],
  ['parked', "delivered_at = 'infinity', parked_until = now()"],
  ['waiting for a digest', "withheld = 'grouped'"],
  ['resent since', 'resent_at = now()'],
  ['accepted since', 'delivered_at = now()'],
])('keeps an event with a delivery that is %s', async (_, columns) => {
  await addEvent('1');
  await addDelivery('1', columns);
  await addEvent('2');
  await addDelivery('2');
  await deleteExpired();
  expect(await listEvents()).toEqual(['1']);
  expect(await list(`SELECT event_id FROM delivery`)).toEqual(['1']);
});

it('deletes a digest with the first of its events, unless it is pending', async () => {
  for (const id of ['1', '2']) {
    await addEvent(id, { isYoung: id === '2' });
    await addDelivery(id, "withheld = 'grouped', digest_id = 'digest'");
  }
  await owner.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, created_at, about_event_id, details)
     SELECT 'digest', 'a', 'notice', 's', '', archive_offset, ${OLD}, event_id, '{"delivery":"digest"}' FROM archive WHERE event_id = '1'`,
  );
  await deleteExpired();
  expect(await listEvents()).toEqual(['1', '2']);

  await owner.query(`UPDATE delivery SET delivered_at = ${OLD} WHERE event_id = 'digest'`);
  await deleteExpired();
  expect(await listEvents()).toEqual(['2']);
  expect(await owner.query('SELECT event_id, withheld, digest_id FROM delivery')).toEqual([
    { event_id: '2', withheld: null, digest_id: null },
  ]);
});

it.each([
  ['NULL', ['1']],
  ["now() - interval '34 days'", ['1']],
  [OLD, []],
])('keeps the events of a problem that has ended at %s: %j', async (endedAt, kept) => {
  await addEvent('1');
  await addProblem('1', endedAt);
  await deleteExpired();
  expect(await listEvents()).toEqual(kept);
  expect(await list(`SELECT problem_id FROM problem`)).toEqual(['p']);
});

it('keeps the present position', async () => {
  const figures = (isForecast: boolean, day: string, time: string) => ({
    type: CALCULATED,
    data: { isForecast, tradingDay: day, calculatedAt: `${day}T${time}`, tradingMargin: 1 },
  });
  await addEvent('1', figures(false, '2026-03-01', '08:00:00'));
  await addEvent('2', figures(false, '2026-03-02', '08:00:00'));
  await addEvent('3', figures(true, '2026-03-02', '09:00:00'));
  await addEvent('4', figures(true, '2026-03-03', '09:00:00'));
  await addEvent('5', figures(true, '2026-03-03', '10:00:00'));
  for (const [id, type] of [
    ['6', 'warning'],
    ['7', 'restored'],
  ] as const)
    await addEvent(id, { type: `margin.${type}`, subject: 'P/prudential' });
  await deleteExpired();
  expect(await listEvents()).toEqual(['2', '5', '7']);
  expect(await list('SELECT sum(calculations)::integer FROM calculation_summary WHERE hours = 24')).toEqual([
    2,
  ]);
});

describe('a settlement run', () => {
  const run = (periodFrom: string) => ({ market: 'STEM', periodFrom, designation: 'INITIAL' });
  const published = (periodFrom: string, publishedAt: string): EventOptions => ({
    type: 'statement.published',
    data: { ...run(periodFrom), publishedAt, totals: { payment: 1, charge: 0 } },
  });
  const moved = (...runs: readonly [periodFrom: string, to: string][]): EventOptions => ({
    type: 'timeline.changed',
    data: {
      changes: runs.map(([periodFrom, to]) => ({
        ...run(periodFrom),
        kind: 'moved',
        date: 'settlementDate',
        to,
      })),
    },
  });
  const listRuns = () =>
    list('SELECT coalesce(array_agg(period_from::text ORDER BY 1), $${}$$) FROM settlement_run');

  it('is deleted once all its events and dates are expired', async () => {
    await addEvent('1', published('2025-01-01', '2025-01-10T08:00:00'));
    await addEvent('2', published('2025-02-01', '2025-02-10T08:00:00'));
    await addEvent('3', {
      ...published('2025-02-01', '2025-02-12T08:00:00'),
      type: 'statement.revised',
      isYoung: true,
    });
    await addEvent('4', published('2025-03-01', '2025-03-10T08:00:00'));
    await addEvent('5', moved(['2025-01-01', '2025-01-20'], ['2025-03-01', '2999-01-01']));
    await deleteExpired();
    expect(await listEvents()).toEqual(['2', '3', '4', '5']);
    expect(await listRuns()).toEqual(['2025-02-01', '2025-03-01']);
    expect(await list(`SELECT status FROM settlement_run WHERE period_from = '2025-03-01'`)).toEqual([
      'published',
    ]);
  });

  it('is kept whole while one of its events is kept', async () => {
    await addEvent('1', published('2025-01-01', '2025-01-10T08:00:00'));
    await addEvent('2', moved(['2025-01-01', '2025-01-20']));
    await addDelivery('2', 'delivered_at = NULL');
    await deleteExpired();
    expect(await listEvents()).toEqual(['1', '2']);
  });
});

it('deletes more than a batch, past events that are kept', async () => {
  await addEvent('kept');
  await addDelivery('kept', 'delivered_at = NULL');
  await owner.query(`INSERT INTO inbox SELECT 'e' || number, now() FROM generate_series(1, 1200) AS number`);
  await owner.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event)
     SELECT 'e' || number, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event FROM archive CROSS JOIN generate_series(1, 1200) AS number`,
  );
  await owner.query(`UPDATE archive_insertion SET inserted_at = ${OLD}`);
  await deleteExpired();
  expect(await listEvents()).toEqual(['kept']);
  expect(await list('SELECT checked_up_to FROM archive_retention')).toEqual([0]);
});

describe('the run role', () => {
  it('cannot have a forged event deleted by its time', async () => {
    const archive = createArchive(storage.database);
    const reader = await storage.newReader();
    await archive.recordEntries([verifiedEntry({ id: 'forged' })], new Date(0), reader);
    await deleteExpired();
    expect(await listEvents()).toEqual(['forged']);
  });

  it.each([
    'UPDATE archive_retention SET days = 35',
    'INSERT INTO archive_retention (days) VALUES (35)',
    'DELETE FROM archive_retention',
    'DELETE FROM archive_insertion',
    'INSERT INTO archive_insertion VALUES (1, now())',
    'DELETE FROM archive',
    "SELECT delete_expired_runs('{}', now())",
    "SELECT find_kept_events('{}', now())",
  ])('is refused: %s', async (sql) => {
    await expect(storage.database.query(sql)).rejects.toMatchObject({ code: '42501' });
  });
});

it('accepts no shorter time', async () => {
  await expect(writeRetention(owner, 34)).rejects.toMatchObject({ code: '23514' });
});
