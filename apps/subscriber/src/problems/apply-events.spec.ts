import type { SqlSession } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import { TEST_POLICY, verifiedEntry } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { createAlertPolicy } from '../archive/alert-policy.js';
import type { Archive } from '../archive/archive.js';
import type { TimedEntry, VerifiedEntry } from '../archive/archive-entries.js';
import { releaseEntries } from '../quarantine/release-entries.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { applyEvents } from './apply-events.js';
import { acknowledgeProblem } from './problem-requests.js';
import { countOpenProblems } from './problem-table.js';

const NOW = new Date('2026-03-02T00:00:02.000Z');

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

const record = (...entries: VerifiedEntry[]) => archive.recordEntries(entries, NOW, reader);
const select = (sql: string) => storage.database.query(sql);
const problems = () =>
  select('SELECT kind, state, severity, level, worsened, event_id FROM problem ORDER BY archive_offset');
const deliveries = async () =>
  (
    await storage.database.query<{ text: string }>(
      `SELECT concat_ws(' ', event_id, sink, kind, severity, problem_state) AS text FROM delivery ORDER BY archive_offset, sink`,
    )
  ).map(({ text }) => text);

const sinks = ['a'];

it('a breach becomes deeper, lower and resolved; each event is delivered as what it did', async () => {
  await record(marginEntry('e1', 'BREACHED', 1, { sinks, tradingMargin: '-1.00' }));
  await record(marginEntry('e2', 'BREACHED', 2, { sinks, tradingMargin: '-1.01' }));
  await record(marginEntry('e3', 'WARNING', 3, { sinks, tradingMargin: '5.00' }));
  await record(marginEntry('e4', 'OK', 4, { sinks, tradingMargin: '900.00' }));
  await record(marginEntry('e5', 'OK', 5, { sinks }));
  expect(await deliveries()).toEqual([
    'e1 a alert critical open',
    'e2 a alert critical open',
    'e3 a alert warning open',
    'e4 a resolved critical resolved',
    'e5 a notice info',
  ]);
  expect(await select('SELECT * FROM problem')).toMatchObject([
    {
      kind: 'margin',
      key: 'WPGENCO/prudential',
      participant: 'WPGENCO',
      state: 'resolved',
      severity: 'warning',
      worst_severity: 'critical',
      level: 'WARNING',
      worst_level: 'BREACHED',
      since: '2026-03-02T08:00:00+08:00',
      opened_at: NOW,
      worsened: 1,
      figures: { tradingMargin: '900.00' },
      worst_figures: { tradingMargin: '-1.01' },
      worst_measure: '-1.01',
      event_id: 'e4',
      ended_at: NOW,
    },
  ]);
  expect(await select('SELECT number, kind, event_id, severity FROM problem_change ORDER BY number')).toEqual(
    [
      { number: 1, kind: 'opened', event_id: 'e1', severity: 'critical' },
      { number: 2, kind: 'worsened', event_id: 'e2', severity: 'critical' },
      { number: 3, kind: 'lowered', event_id: 'e3', severity: 'warning' },
      { number: 4, kind: 'resolved', event_id: 'e4', severity: 'warning' },
    ],
  );
});

it('an event with a lower sequence than an earlier one changes nothing, in its own batch or in the same', async () => {
  await record(marginEntry('new', 'OK', 5, { sinks }));
  await record(marginEntry('late', 'BREACHED', 4, { sinks }));
  expect(await problems()).toEqual([]);
  await record(marginEntry('e7', 'BREACHED', 7, { sinks }), marginEntry('e6', 'OK', 6, { sinks }));
  expect(await problems()).toMatchObject([{ state: 'open', event_id: 'e7' }]);
  expect(await deliveries()).toEqual([
    'new a notice info',
    'late a notice critical',
    'e7 a alert critical open',
    'e6 a notice info',
  ]);
});

it('events of other subjects resolve in the order of the archive', async () => {
  const run = 'WPGENCO/WEM/2026-03-01/INITIAL';
  await record(
    problemEntry({ id: 'overdue', type: 'statement.overdue', subject: `${run}/overdue`, sequence: 9 }),
  );
  await record(
    problemEntry({ id: 'other', type: 'statement.published', subject: 'WPGENCO/other', sequence: 1 }),
  );
  expect(await problems()).toMatchObject([{ state: 'open' }]);
  await record(problemEntry({ id: 'published', type: 'statement.published', subject: run, sequence: 1 }));
  expect(await problems()).toMatchObject([
    { kind: 'statement-overdue', state: 'resolved', event_id: 'published' },
  ]);
});

it('an event that could have ended a problem, and ends none, is a notice of severity info', async () => {
  const archiveOfRules = createArchive(storage.database, {
    alertPolicy: () => createAlertPolicy({ alerts: { sinks: [], rules: [{ sinks: ['a'] }] } } as never),
  });
  await archiveOfRules.recordEntries(
    [
      problemEntry({ id: 'e1', type: 'statement.published', subject: 'WPGENCO/run', sequence: 1 }),
      problemEntry({
        id: 'e2',
        type: 'bridge.alert.cleared',
        subject: 'x',
        sequence: 1,
        data: { severity: 'critical' },
      }),
    ],
    new Date(),
    reader,
  );
  expect(await deliveries()).toEqual(['e1 a notice info', 'e2 a notice info']);
});

it('the end of a problem also goes to the sinks that got an alert of it, in a later batch and in the same', async () => {
  await record(marginEntry('e1', 'BREACHED', 1, { sinks: ['a', 'b'] }));
  await record(marginEntry('e2', 'OK', 2, { sinks: ['c'] }));
  await record(marginEntry('e3', 'BREACHED', 3, { sinks: ['a'] }), marginEntry('e4', 'OK', 4));
  expect((await deliveries()).filter((text) => text.includes('resolved '))).toEqual([
    'e2 a resolved critical resolved',
    'e2 b resolved critical resolved',
    'e2 c resolved critical resolved',
    'e4 a resolved critical resolved',
  ]);
});

it('neither the end nor a request of a problem is added for a sink that was removed', async () => {
  await record(marginEntry('e1', 'BREACHED', 1, { sinks: ['a', 'former'] }));
  const hasSink = (name: string): boolean => name !== 'former';
  const [problem] = await storage.database.query<{ problemId: string }>(
    'SELECT problem_id AS "problemId" FROM problem',
  );
  await storage.database.transaction((session) =>
    acknowledgeProblem(
      session,
      { requestId: 1, parameters: problem!, author: 'jane', comment: undefined },
      hasSink,
    ),
  );
  const changed = createArchive(storage.database, { alertPolicy: () => ({ ...TEST_POLICY, hasSink }) });
  await changed.recordEntries([marginEntry('e2', 'OK', 2)], NOW, reader);
  const ofSinks = await storage.database.query<{ sink: string; kind: string }>(
    'SELECT sink, kind FROM delivery ORDER BY sink, archive_offset, kind',
  );
  expect(ofSinks.map(({ sink, kind }) => `${sink} ${kind}`)).toEqual([
    'a alert',
    'a notice',
    'a resolved',
    'former alert',
  ]);
});

it('backlog opens no problem; the newest state does, and its end withdraws what was not sent', async () => {
  const ofBacklog = createArchive(storage.database, {
    alertsSince: () => new Map([['WPGENCO', new Date('2026-03-03T00:00:00Z')]]),
  });
  const add = (...entries: VerifiedEntry[]) => ofBacklog.recordEntries(entries, NOW, reader);
  await add(marginEntry('e1', 'BREACHED', 1, { sinks }), marginEntry('e2', 'OK', 2, { sinks }));
  expect(await problems()).toEqual([]);
  await add(marginEntry('e3', 'BREACHED', 3, { sinks }));
  expect(await problems()).toMatchObject([{ state: 'open' }]);
  await add(marginEntry('e4', 'OK', 4, { sinks }));
  expect(await problems()).toMatchObject([{ state: 'resolved' }]);
  expect(await deliveries()).toEqual(['e3 a alert critical open']);
  expect(await select('SELECT event_id, backlog FROM archive ORDER BY archive_offset')).toEqual([
    { event_id: 'e1', backlog: true },
    { event_id: 'e2', backlog: true },
    { event_id: 'e3', backlog: false },
    { event_id: 'e4', backlog: true },
  ]);
});

it('an event that is released from the quarantine counts when it is archived', async () => {
  await record(marginEntry('e2', 'WARNING', 2, { sinks }));
  const released = marginEntry('e3', 'BREACHED', 3, { sinks });
  const stale = marginEntry('e1', 'OK', 1, { sinks });
  const results = await releaseEntries(
    archive,
    [released, stale].map((entry, at) => ({ entry, offset: BigInt(at + 1), quarantinedAt: NOW })),
    NOW,
    reader,
  );
  expect(results).toMatchObject([
    { kind: 'archived', effect: { change: 'worsened' } },
    { kind: 'archived', effect: undefined },
  ]);
  expect(await problems()).toMatchObject([{ state: 'open', level: 'BREACHED', worsened: 1 }]);
  expect(await countOpenProblems(storage.database)).toEqual([
    { kind: 'margin', severity: 'critical', state: 'open', count: 1 },
  ]);
});

const toTimed = (entry: VerifiedEntry): TimedEntry => ({ entry, marks: [], timing: 'now' });

it('events without a signal cost no statement, and others three, however many', async () => {
  const statements: string[] = [];
  const session: SqlSession = {
    query: (sql) => {
      statements.push(sql);
      return Promise.resolve([]);
    },
    notify: () => Promise.reject(new Error('not expected')),
  };
  const apply = (...entries: VerifiedEntry[]) =>
    applyEvents(session, entries.map(toTimed), {
      offsets: new Map(entries.map(({ event }, at) => [event.id, at + 1])),
      highest: new Map(),
      policy: TEST_POLICY,
      now: NOW,
    });
  await apply(verifiedEntry({ id: 'e1' }), verifiedEntry({ id: 'e2' }));
  expect(statements).toEqual([]);
  const many = Array.from({ length: 50 }, (_, at) =>
    marginEntry(`e${at}`, 'BREACHED', at, { subject: `s${at}` }),
  );
  expect((await apply(...many)).effects.size).toBe(50);
  expect(statements).toHaveLength(3);
});

it('an event that waits for an acknowledgement follows it', async () => {
  await record(marginEntry('e1', 'BREACHED', 1, { sinks, tradingMargin: '-1.00' }));
  const [problem] = await storage.database.query<{ problemId: string }>(
    'SELECT problem_id AS "problemId" FROM problem',
  );
  const waiting = await storage.database.transaction(async (session) => {
    const request = { requestId: 1, parameters: problem!, author: 'jane', comment: undefined };
    expect(await acknowledgeProblem(session, request)).toMatchObject({ outcome: 'done' });
    const recorded = record(marginEntry('e2', 'BREACHED', 2, { sinks, tradingMargin: '-2.00' }));
    await waitFor('the lock', async () => (await isLockAwaited()) > 0);
    return { recorded };
  });
  await waiting.recorded;
  expect(await select('SELECT number, kind FROM problem_change ORDER BY number')).toEqual([
    { number: 1, kind: 'opened' },
    { number: 2, kind: 'acknowledged' },
    { number: 3, kind: 'worsened' },
  ]);
});

it('two transactions of the reader run one after the other', async () => {
  const entries = ['e1', 'e2', 'e3'].map((id, at) => marginEntry(id, 'BREACHED', at + 1, { sinks }));
  await Promise.all(entries.map((entry) => record(entry)));
  expect(await select('SELECT count(*) AS problems FROM problem')).toEqual([{ problems: 1 }]);
});

async function isLockAwaited(): Promise<number> {
  const rows = await storage.server.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM problem%'",
  );
  return rows.length;
}
