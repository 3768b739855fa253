import { waitFor } from '@ssb/testing';
import { marginEntry } from '../../test/support/problem-events.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
  type TestTerm,
} from '../../test/support/subscriber-database.js';
import { acknowledgeProblem, closeProblem } from '../problems/problem-requests.js';
import { OpenProblems } from './outbox/open-problems.js';
import { ProblemRepeater, type ProblemRepeaterOptions } from './problem-repeater.js';
import type { SinkMessage } from './sinks/alert-sink.js';

const SINK = 'treasury';
let storage: SubscriberDatabase;
let term: TestTerm;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
beforeEach(async () => {
  await storage.clear();
  term = await storage.newTerm();
  const archive = createArchive(storage.database);
  const sinks = [SINK];
  const entries = [
    marginEntry('breach', 'BREACHED', 1, { sinks }),
    marginEntry('warning', 'WARNING', 1, { sinks, subject: 'WPRETAIL/prudential' }),
  ];
  await archive.recordEntries(entries, new Date(), await storage.newReader());
});
afterAll(() => storage.close());

const update = (change: string) => storage.database.query(`UPDATE delivery SET ${change}`);
const accept = () => update(`delivered_at = clock_timestamp(), last_outcome = 'delivered with status 200'`);

/** The rounds of a repeater, each with the ids of its events. */
function start(change: Partial<ProblemRepeaterOptions> = {}) {
  const rounds: string[][] = [];
  const attempts: string[] = [];
  const lines: string[] = [];
  const repeat = (open: readonly SinkMessage[]) => {
    rounds.push(open.map(({ eventId }) => eventId).toSorted());
    return Promise.resolve({ kind: 'delivered' as const });
  };
  const repeater = new ProblemRepeater({
    sink: { name: SINK, repeat } as unknown as ProblemRepeaterOptions['sink'],
    term,
    problems: new OpenProblems(storage.database),
    storedEvents: { verify: () => ({ ok: true }) },
    metrics: {
      deliveryAttempts: { inc: ({ outcome }: { outcome: string }) => void attempts.push(outcome) },
    } as unknown as ProblemRepeaterOptions['metrics'],
    log: {
      warn: (_: object, text: string) => void lines.push(text),
      error: (_: object, text: string) => void lines.push(text),
    } as unknown as ProblemRepeaterOptions['log'],
    intervalMs: 10,
    ...change,
  });
  return { repeater, rounds, attempts, lines };
}

it('posts open problems whose alert the sink has accepted again, until the end of the term', async () => {
  await accept();
  const { repeater, rounds, attempts } = start();
  await waitFor('two rounds', () => rounds.length >= 2);
  expect(rounds.slice(0, 2)).toEqual([
    ['breach', 'warning'],
    ['breach', 'warning'],
  ]);
  term.end();
  await waitFor('the end of a round', () => attempts.length >= 2);
  const count = rounds.length;
  await repeater.stop();
  expect(rounds.length).toBeLessThanOrEqual(count + 1);
});

it('posts the present problem: since when it lasts, its worst figures, who has acknowledged it, and the reminders of the sink', async () => {
  await accept();
  const [{ id: problemId } = { id: '' }] = await storage.database.query<{ id: string }>(
    `SELECT problem_id AS id FROM problem WHERE event_id = 'breach'`,
  );
  const request = { requestId: 1, parameters: { problemId }, author: 'jane', comment: 'calling' };
  await storage.database.transaction((session) => acknowledgeProblem(session, request));
  await storage.database.query(
    `INSERT INTO delivery (event_id, sink, kind, severity, problem_id, problem_state, subject, sequence, archive_offset, about_event_id,
                           details, withheld, last_outcome)
     SELECT id, $1, given.kind, 'critical', problem_id, 'open', 'ALPHA/prudential', '1', archive_offset, 'breach', '{}', withheld, outcome
     FROM problem, (VALUES ('sent', 'reminder', NULL, 'delivered'), ('waits', 'reminder', NULL, NULL), ('muted', 'reminder', 'muted', NULL),
       ('withdrawn', 'reminder', NULL, 'withdrawn'), ('escalated', 'escalation', NULL, NULL)) AS given (id, kind, withheld, outcome)
     WHERE problem_id = $2`,
    [SINK, problemId],
  );
  const open = await new OpenProblems(storage.database).read(SINK, '');
  const { problem, problemState } = open.find(({ eventId }) => eventId === 'breach') ?? {};
  expect(problemState).toBe('acknowledged');
  expect(problem).toMatchObject({
    kind: 'margin',
    state: 'acknowledged',
    worsened: 0,
    worstFigures: { tradingMargin: expect.any(String) as string },
    acknowledged: { by: 'jane', comment: 'calling' },
    reminders: 2,
    escalations: 1,
  });
  expect(Date.parse(problem?.acknowledged?.at ?? '')).toBeGreaterThan(Date.now() - 600_000);
  expect(problem).not.toHaveProperty('closed');
});

it.each<[string, () => Promise<unknown>]>([
  ['that wait', () => Promise.resolve()],
  ['that are withheld', () => update(`withheld = 'muted', delivered_at = created_at`)],
  ['that were skipped', () => update(`skipped = true, delivered_at = clock_timestamp()`)],
  [
    'that are parked',
    () =>
      update(
        `delivered_at = 'infinity', parked_at = clock_timestamp(), parked_until = clock_timestamp(), last_outcome = 'rejected with status 400'`,
      ),
  ],
  [
    'of problems that a person has closed',
    async () => {
      await accept();
      const problems = await storage.database.query<{ id: string }>('SELECT problem_id AS id FROM problem');
      for (const [requestId, { id: problemId }] of problems.entries()) {
        const request = { requestId, parameters: { problemId }, author: 'jane', comment: 'paid' };
        await storage.database.transaction((session) => closeProblem(session, request));
      }
    },
  ],
])('does not post alerts %s', async (_, prepare) => {
  await prepare();
  expect(await new OpenProblems(storage.database).read(SINK, '')).toEqual([]);
});

it('leaves out an event that cannot be verified, and reports a failed post', async () => {
  await accept();
  const repeat = () => Promise.resolve({ kind: 'timeout' as const });
  const { repeater, attempts, lines } = start({
    sink: { name: SINK, repeat } as unknown as ProblemRepeaterOptions['sink'],
  });
  await waitFor(
    'a failed post',
    () => attempts.includes('timeout') && lines.includes('open problems not repeated'),
  );
  await repeater.stop();
  const forged = start({
    storedEvents: {
      verify: ({ eventId }) => (eventId === 'breach' ? { ok: false, detail: 'forged' } : { ok: true }),
    },
  });
  await waitFor('a round', () => forged.rounds.length >= 1);
  await forged.repeater.stop();
  expect(forged.rounds[0]).toEqual(['warning']);
});
