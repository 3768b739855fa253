import type { SqlSession } from '@ssb/postgres';
import { insertMessages } from '../deliveries/messages/insert-messages.js';
import { createProblemMessage, type ProblemMessage } from '../deliveries/messages/problem-message.js';
import { withdrawReminders } from '../deliveries/messages/withdraw-reminders.js';
import type { WithheldReason } from '../domain/delivery-kind.js';
import type { ProblemRequest } from './domain/decide-request.js';
import type { ArchiveOffset, Problem } from './domain/problem.js';
import { ProblemBatch } from './domain/problem-batch.js';
import { lockProblem, saveProblems } from './problem-table.js';
import { findNotifiedSinks, NOBODY_NOTIFIED, type HasSink } from './notified-sinks.js';

/** A request of a person about one problem. */
export interface RequestAboutProblem {
  readonly requestId: ArchiveOffset;
  readonly parameters: { readonly problemId: string };
  readonly author: string;
  readonly comment: string | undefined;
}

/** How the request ended, for its row. */
export interface ProblemRequestResult {
  readonly outcome: 'done' | 'refused';
  readonly result: Readonly<Record<string, unknown>>;
}

const EVERY_SINK: HasSink = () => true;

/**
 * Acknowledges a problem, in the transaction that ends the request.
 * @param hasSink as of `findNotifiedSinks`
 */
export function acknowledgeProblem(
  session: SqlSession,
  request: RequestAboutProblem,
  hasSink = EVERY_SINK,
): Promise<ProblemRequestResult> {
  return carryOut(session, request, 'acknowledge', hasSink);
}

/** Closes a problem, as `acknowledgeProblem`. */
export function closeProblem(
  session: SqlSession,
  request: RequestAboutProblem,
  hasSink = EVERY_SINK,
): Promise<ProblemRequestResult> {
  return carryOut(session, request, 'close', hasSink);
}

async function carryOut(
  session: SqlSession,
  { requestId, parameters: { problemId }, author, comment }: RequestAboutProblem,
  kind: ProblemRequest['kind'],
  hasSink: HasSink,
): Promise<ProblemRequestResult> {
  const problem = await lockProblem(session, problemId);
  const at = await readTime(session);
  const batch = new ProblemBatch(problem === undefined ? [] : [problem]);
  const decision = batch.request(problem, { requestId, kind, author, comment, at });
  if (decision.outcome === 'refused') return { outcome: 'refused', result: { reason: decision.reason } };
  await saveProblems(session, batch);
  await notifySinks(session, decision.problem, at, hasSink);
  const { state, archiveOffset } = decision.problem;
  // With both values the problem can be derived again.
  return {
    outcome: 'done',
    result: { problemId, state, archiveOffset: String(archiveOffset), at: at.toISOString() },
  };
}

/** Notifies every sink of the configuration that was notified of the problem before, and withdraws the reminders that wait. */
async function notifySinks(
  session: SqlSession,
  problem: Problem,
  now: Date,
  hasSink: HasSink,
): Promise<void> {
  const { problemId, eventId, changes: number } = problem;
  const known = (await findNotifiedSinks(session, [problemId], hasSink)).get(problemId) ?? NOBODY_NOTIFIED;
  const delivery = problem.state === 'closed' ? 'closed' : 'acknowledged';
  const create = (sink: string, withheld?: WithheldReason): ProblemMessage =>
    createProblemMessage({ delivery, sink, problem, number, now, withheld });
  const messages = [
    ...[...known.notified].map((sink) => create(sink)),
    ...[...known.withheld].map(([sink, reason]) => create(sink, reason)),
  ];
  const next = messages.map(({ sink }) => ({ sink, eventId }));
  if (known.hasPending) await withdrawReminders(session, [{ problemId, eventId }], next);
  await insertMessages(session, messages);
}

/** In milliseconds, as the result of the request has it. */
async function readTime(session: SqlSession): Promise<Date> {
  const [row] = await session.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row?.now ?? new Date();
}
