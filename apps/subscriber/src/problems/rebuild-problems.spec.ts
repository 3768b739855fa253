import fc from 'fast-check';
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
import { PROBLEM_TYPES } from './archive-pages.js';
import { acknowledgeProblem, closeProblem, type ProblemRequestResult } from './problem-requests.js';
import { rebuildProblems, type RebuildOptions } from './rebuild-problems.js';

const START = Date.parse('2026-03-02T00:00:02.000Z');

let storage: SubscriberDatabase;
let archive: Archive;
let reader: ReaderToken;
let batches = 0;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  archive = createArchive(storage.database, {
    // The calculations of August are backlog.
    alertsSince: () => new Map([['WPGENCO', new Date('2026-01-01T00:00:00Z')]]),
  });
});
const clear = async (): Promise<void> => {
  await storage.clear();
  reader = await storage.newReader();
};
beforeEach(clear);
afterAll(() => storage.close());

async function record(...entries: VerifiedEntry[]): Promise<void> {
  batches += 1;
  await archive.recordEntries(entries, new Date(START + batches * 1_000), reader);
}

/** Carries out a request of a person, as the request worker does. */
async function request(
  kind: 'acknowledge' | 'close',
  problemId: string,
  comment = 'why',
): Promise<ProblemRequestResult> {
  const [row] = await storage.server.query(
    `INSERT INTO subscriber.request (kind, parameters, author, comment)
     VALUES ($1, jsonb_build_object('problemId', $2::text), 'jane', $3) RETURNING request_id`,
    [kind, problemId, comment],
  );
  const requestId = Number(row?.['request_id']);
  const carryOut = kind === 'close' ? closeProblem : acknowledgeProblem;
  return storage.database.transaction(async (session) => {
    const ended = await carryOut(session, { requestId, parameters: { problemId }, author: 'jane', comment });
    await session.query(
      'UPDATE request SET finished_at = clock_timestamp(), outcome = $2, result = $3::jsonb WHERE request_id = $1',
      [requestId, ended.outcome, JSON.stringify(ended.result)],
    );
    return ended;
  });
}

const openIds = async (): Promise<string[]> =>
  (
    await storage.database.query<{ id: string }>(
      'SELECT problem_id AS id FROM problem WHERE ended_at IS NULL ORDER BY archive_offset',
    )
  ).map(({ id }) => id);

const rows = async (): Promise<string[]> =>
  (await storage.server.query(PROBLEM_ROWS)).map(({ row }) => String(row));

const rebuild = (change: Partial<RebuildOptions> = {}) =>
  rebuildProblems(storage.database, { verify: () => ({ ok: true }), policy: TEST_POLICY, ...change });

const RUN = 'WPGENCO/WEM/2026-03-01/INITIAL';

type Step =
  | { readonly kind: 'event'; readonly create: (id: string) => VerifiedEntry }
  | { readonly kind: 'acknowledge' | 'close'; readonly at: number };

const sequence = fc.integer({ min: 1, max: 20 });
const time = fc.constantFrom('2026-03-02T08:00:00+08:00', '2025-08-02T08:00:00+08:00');

const margin = fc
  .tuple(fc.constantFrom('OK', 'WARNING', 'BREACHED'), sequence, fc.integer({ min: -300, max: 300 }), time)
  .map(
    ([level, at, cents, when]) =>
      (id: string) =>
        marginEntry(id, level, at, { tradingMargin: (cents / 100).toFixed(2), time: when }),
  );

const other = fc
  .tuple(
    fc.constantFrom(
      ['statement.overdue', `${RUN}/overdue`],
      ['statement.published', RUN],
      ['statement.revised', RUN],
      ['invoice.discrepancy', `${RUN}/invoice/4/discrepancy`],
      ['market.unreachable', 'WPGENCO/market/prudential'],
      ['market.recovered', 'WPGENCO/market/prudential'],
      ['bridge.alert.raised', '*/bridge/poller/dead-letter'],
      ['position.calculated', 'WPGENCO/position'],
    ),
    sequence,
    fc.integer({ min: 1, max: 5 }),
    time,
  )
  .map(
    ([[type = '', subject = ''], at, count, when]) =>
      (id: string) =>
        problemEntry({ id, type, subject, sequence: at, time: when, data: { count, reason: 'dead-letter' } }),
  );

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.oneof(margin, other).map((create) => ({ kind: 'event' as const, create })) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('acknowledge' as const, 'close' as const), at: fc.nat(5) }),
  },
);

/** Archives events in batches of these sizes, and carries out requests between them. */
async function play(steps: readonly Step[], sizes: readonly number[]): Promise<void> {
  let batch: VerifiedEntry[] = [];
  let number = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await record(...batch);
    batch = [];
    number += 1;
  };
  for (const [at, each] of steps.entries()) {
    if (each.kind === 'event') {
      batch.push(each.create(`e${at}`));
      if (batch.length >= (sizes[number % sizes.length] ?? 1)) await flush();
    } else {
      await flush();
      const problemId = (await openIds())[each.at];
      if (problemId !== undefined) await request(each.kind, problemId);
    }
  }
  await flush();
}

it('of any history, archived in batches of any size, gives identical rows', async () => {
  let changed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 12 }),
      async (steps, sizes, pageSize) => {
        await clear();
        await play(steps, sizes);
        const before = await rows();
        await rebuild({ pageSize });
        expect(await rows()).toEqual(before);
        changed += before.length;
      },
    ),
    { numRuns: 12 },
  );
  expect(changed).toBeGreaterThan(0);
}, 60_000);

it('of a batch gives the rows of the same events one by one, except for their times', async () => {
  const events = (): VerifiedEntry[] => [
    marginEntry('e1', 'BREACHED', 1),
    marginEntry('e2', 'BREACHED', 2, { tradingMargin: '-5' }),
    marginEntry('e4', 'OK', 4),
    marginEntry('e3', 'WARNING', 3),
    marginEntry('e5', 'WARNING', 5),
  ];
  const comparable = async () =>
    (await rows()).map((row) => row.replaceAll(/2026-03-02T00:[^"]*|"archive_offset": \d+/g, '')).sort();
  await record(...events());
  const together = await comparable();
  await clear();
  for (const event of events()) await record(event);
  expect(await comparable()).toEqual(together);
  expect(together).toHaveLength(6);
});

it('counts no event that fails verification, and reports it afterwards', async () => {
  await record(marginEntry('genuine', 'WARNING', 1));
  const before = await rows();
  await record(marginEntry('forged', 'OK', 2));
  const reported: string[] = [];
  const result = await rebuild({
    verify: ({ eventId }) => (eventId === 'forged' ? { ok: false, detail: 'forged' } : { ok: true }),
    onUnverified: ({ eventId }, detail) => reported.push(`${eventId}: ${detail}`),
  });
  expect(result).toEqual({ events: 2, unverified: 1, problems: 1 });
  expect(reported).toEqual(['forged: forged']);
  expect(await rows()).toEqual(before);
});

it('loses and doubles nothing that is archived meanwhile, and verifies it', async () => {
  await record(marginEntry('e1', 'WARNING', 1));
  const verified: string[] = [];
  let during: Promise<void> | undefined;
  await rebuild({
    verify: ({ eventId }) => {
      verified.push(eventId);
      return { ok: true };
    },
    onProgress: async ({ step: pass, events }) => {
      if (pass === 'verify' && events === 1) await record(marginEntry('between', 'BREACHED', 2));
      // It waits for the lock of the rebuild.
      if (pass === 'derive') during ??= record(marginEntry('during', 'OK', 3));
    },
    pageSize: 1,
  });
  await during;
  expect(verified).toEqual(['e1', 'between']);
  const after = await rows();
  await rebuild();
  expect(await rows()).toEqual(after);
  expect(await storage.database.query('SELECT event_id FROM problem_change ORDER BY number')).toEqual([
    { event_id: 'e1' },
    { event_id: 'between' },
    { event_id: 'during' },
  ]);
});

it('stopped, it changes nothing', async () => {
  await record(marginEntry('e1', 'WARNING', 1));
  const before = await rows();
  const stop = new AbortController();
  const stopped = rebuild({
    signal: stop.signal,
    onProgress: ({ step: pass }) => (pass === 'derive' ? stop.abort(new Error('stopped')) : undefined),
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await rows()).toEqual(before);
});

describe('deletion by the owner of the tables', () => {
  const remove = (table: 'archive' | 'request') => storage.server.query(`DELETE FROM subscriber.${table}`);
  const REFUSED = { code: '23503' };

  it('of events and requests of an open problem is refused', async () => {
    await record(marginEntry('e1', 'WARNING', 1));
    await request('acknowledge', (await openIds())[0] ?? '');
    await expect(remove('archive')).rejects.toMatchObject(REFUSED);
    await expect(remove('request')).rejects.toMatchObject(REFUSED);
  });

  it('keeps the rows of an ended problem, which a rebuild cannot derive', async () => {
    await record(problemEntry({ id: 'd1', type: 'invoice.discrepancy', subject: RUN, sequence: 1 }));
    await record(problemEntry({ id: 'd2', type: 'invoice.discrepancy', subject: RUN, sequence: 2 }));
    await request('close', (await openIds())[0] ?? '');
    await record(marginEntry('e1', 'WARNING', 1), marginEntry('e2', 'OK', 2));
    const before = await rows();
    await storage.server.query(`DELETE FROM subscriber.archive WHERE event_id IN ('d1', 'e1')`);
    await remove('request');
    await rebuild();
    expect(await rows()).toEqual(before);
  });
});

it('the partial index has the types of all problems', async () => {
  const [index] = await storage.server.query(
    `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index WHERE indexrelid = 'subscriber.archive_problem'::regclass`,
  );
  const types = [...String(index?.['condition']).matchAll(/'(settlementbus[^']*)'/g)].map(([, type]) => type);
  expect(types.sort()).toEqual(PROBLEM_TYPES);
});

it('a request about an ended problem is refused, and the first one is not repeated', async () => {
  await record(marginEntry('e1', 'WARNING', 1));
  const [problemId = ''] = await openIds();
  expect(await request('acknowledge', problemId)).toMatchObject({
    outcome: 'done',
    result: { problemId, state: 'acknowledged' },
  });
  expect(await request('acknowledge', problemId)).toMatchObject({
    outcome: 'refused',
    result: { reason: expect.stringContaining('jane acknowledged') },
  });
  await request('close', problemId);
  expect(await request('close', problemId)).toMatchObject({ outcome: 'refused' });
  expect(
    await storage.database.query(
      'SELECT kind, request_id IS NULL AS by_event FROM problem_change ORDER BY number',
    ),
  ).toEqual([
    { kind: 'opened', by_event: true },
    { kind: 'acknowledged', by_event: false },
    { kind: 'closed', by_event: false },
  ]);
});
