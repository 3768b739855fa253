import type { SqlSession } from '@ssb/postgres';
import type { ProblemRequest } from './domain/decide-request.js';
import type { ArchiveOffset } from './domain/problem.js';
import { ProblemBatch } from './domain/problem-batch.js';
import { lockProblem, saveProblems } from './problem-table.js';

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

/** Acknowledges a problem, in the transaction that ends the request. */
export function acknowledgeProblem(
  session: SqlSession,
  request: RequestAboutProblem,
): Promise<ProblemRequestResult> {
  return carryOut(session, request, 'acknowledge');
}

/** Closes a problem, in the transaction that ends the request. */
export function closeProblem(
  session: SqlSession,
  request: RequestAboutProblem,
): Promise<ProblemRequestResult> {
  return carryOut(session, request, 'close');
}

async function carryOut(
  session: SqlSession,
  { requestId, parameters: { problemId }, author, comment }: RequestAboutProblem,
  kind: ProblemRequest['kind'],
): Promise<ProblemRequestResult> {
  const problem = await lockProblem(session, problemId);
  const at = await readTime(session);
  const batch = new ProblemBatch(problem === undefined ? [] : [problem]);
  const decision = batch.request(problem, { requestId, kind, author, comment, at });
  if (decision.outcome === 'refused') return { outcome: 'refused', result: { reason: decision.reason } };
  await saveProblems(session, batch);
  const { state, archiveOffset } = decision.problem;
  // With both values the problem can be derived again.
  return {
    outcome: 'done',
    result: { problemId, state, archiveOffset: String(archiveOffset), at: at.toISOString() },
  };
}

/** In milliseconds, as the result of the request has it. */
async function readTime(session: SqlSession): Promise<Date> {
  const [row] = await session.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return row?.now ?? new Date();
}
