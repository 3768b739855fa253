import { marginEntry, PROBLEM_ROWS, problemEntry } from '../../test/support/problem-events.js';
import { TEST_POLICY } from '../../test/support/archive-entries.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import type { Archive } from '../archive/archive.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { acknowledgeProblem, closeProblem } from './problem-requests.js';
import { rebuildProblems } from './rebuild-problems.js';

const NOW = new Date('2026-03-20T00:00:02.000Z');
const RUN = 'WPGENCO/WEM/2026-03-01/INITIAL/disagreement';
const PUBLISHED = '2026-03-02T10:00:00';
const sinks = ['treasury'];

/** Events are numbered in the order of their detection. */
const sequenceOf = (id: string): number => Number(id.slice(1));
const subjectOf = (publishedAt: string): string => `${RUN}/${publishedAt}/${'0'.repeat(64)}`;

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

function reminder(id: string, businessDaysLeft: number, publishedAt = PUBLISHED): VerifiedEntry {
  return problemEntry({
    id,
    type: 'statement.disagreement-due',
    subject: subjectOf(publishedAt),
    sequence: sequenceOf(id),
    data: { severity: 'warning', disagreeUntil: '2026-03-30', businessDaysLeft, publishedAt },
    sinks,
  });
}

const lapse = (id: string): VerifiedEntry =>
  problemEntry({
    id,
    type: 'statement.disagreement-lapsed',
    subject: subjectOf(PUBLISHED),
    sequence: sequenceOf(id),
    sinks,
  });

const texts = async (sql: string): Promise<string[]> =>
  (await storage.server.query(sql)).map(({ text }) => String(text));
const problems = () =>
  texts(
    `SELECT concat_ws(' ', kind, state, closed_by, close_comment) AS text FROM subscriber.problem ORDER BY opened_at, archive_offset`,
  );
const deliveries = () =>
  texts(
    `SELECT concat_ws(' ', event_id, kind, severity, problem_state) AS text FROM subscriber.delivery ORDER BY archive_offset, kind`,
  );

/** Carries out a request of a person about the open problem, as the request worker does. */
async function request(kind: 'acknowledge' | 'close', comment = 'we agree'): Promise<void> {
  const [open] = await storage.server.query(
    'SELECT problem_id FROM subscriber.problem WHERE ended_at IS NULL',
  );
  const parameters = { problemId: String(open?.['problem_id']) };
  const [row] = await storage.server.query(
    `INSERT INTO subscriber.request (kind, parameters, author, comment) VALUES ($1, $2::jsonb, 'jane', $3) RETURNING request_id`,
    [kind, JSON.stringify(parameters), comment],
  );
  const requestId = Number(row?.['request_id']);
  const carryOut = kind === 'close' ? closeProblem : acknowledgeProblem;
  await storage.database.transaction(async (session) => {
    const ended = await carryOut(session, { requestId, parameters, author: 'jane', comment });
    expect(ended.outcome).toBe('done');
    await session.query(
      'UPDATE request SET finished_at = clock_timestamp(), outcome = $2, result = $3::jsonb WHERE request_id = $1',
      [requestId, ended.outcome, JSON.stringify(ended.result)],
    );
  });
}

async function expectTheSameAgain(): Promise<void> {
  const before = await storage.server.query(PROBLEM_ROWS);
  await rebuildProblems(storage.database, {
    policy: TEST_POLICY,
    verify: () => ({ ok: true }) as never,
    pageSize: 1,
  });
  expect(await storage.server.query(PROBLEM_ROWS)).toEqual(before);
}

it('a window ends when its last day has passed, and the sinks of its alerts learn of it', async () => {
  await record(reminder('e1', 5), reminder('e2', 1));
  await record(lapse('e3'));
  expect(await problems()).toEqual(['disagreement resolved']);
  expect(await deliveries()).toEqual([
    'e1 alert warning open',
    'e2 alert warning open',
    'e3 resolved warning resolved',
  ]);
  await expectTheSameAgain();
});

it('a person who acknowledges it is alerted by the next reminder, which changes nothing else', async () => {
  await record(reminder('e1', 5));
  await request('acknowledge');
  await record(reminder('e2', 1));
  expect(await problems()).toEqual(['disagreement acknowledged']);
  expect(await deliveries()).toEqual([
    'e1 alert warning open',
    expect.stringMatching(/ notice warning acknowledged$/),
    'e2 alert warning acknowledged',
  ]);
  await expectTheSameAgain();
});

describe('a window that a person has closed', () => {
  beforeEach(async () => {
    await record(reminder('e1', 5));
    await request('close');
  });

  it('stays closed: a later reminder is archived, and nobody is alerted', async () => {
    const before = await deliveries();
    const [result] = await record(reminder('e2', 1));
    expect(result).toMatchObject({ kind: 'archived', deliveries: [] });
    await record(reminder('e3', 0), reminder('e4', 0));
    expect(await problems()).toEqual(['disagreement closed jane we agree']);
    expect(await deliveries()).toEqual(before);
    expect(await texts('SELECT event_id AS text FROM subscriber.archive ORDER BY archive_offset')).toEqual([
      'e1',
      'e2',
      'e3',
      'e4',
    ]);
    await expectTheSameAgain();
  });

  it('says nothing about the window of a revision', async () => {
    await record(reminder('e2', 1), reminder('e3', 5, '2026-03-09T10:00:00'));
    expect(await problems()).toEqual(['disagreement closed jane we agree', 'disagreement open']);
    expect((await deliveries()).filter((text) => text.includes('alert'))).toEqual([
      'e1 alert warning open',
      'e3 alert warning open',
    ]);
    await expectTheSameAgain();
  });

  it('has an end that is a notice', async () => {
    await record(lapse('e2'));
    expect((await deliveries()).at(-1)).toBe('e2 notice info');
    expect(await problems()).toEqual(['disagreement closed jane we agree']);
  });
});

it('a reminder that arrives after the end of its window opens nothing', async () => {
  await record(reminder('e1', 5));
  await record(lapse('e3'));
  await record(reminder('e2', 1));
  expect(await problems()).toEqual(['disagreement resolved']);
  await expectTheSameAgain();
});

it('a window that lapsed is opened again when other settings move its last day', async () => {
  await record(reminder('e1', 5), lapse('e2'), reminder('e3', 1));
  expect(await problems()).toEqual(['disagreement resolved', 'disagreement open']);
});

it('a margin that a person has closed is opened by the next event', async () => {
  await record(marginEntry('e1', 'BREACHED', 1, { sinks }));
  await request('close');
  await record(marginEntry('e2', 'BREACHED', 2, { sinks }));
  expect(await problems()).toEqual(['margin closed jane we agree', 'margin open']);
});
