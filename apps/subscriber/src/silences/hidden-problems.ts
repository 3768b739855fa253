import type { SilenceFacts } from '@ssb/config';
import { EVENT_TYPES, isAlertReason, isUrgent, type EventType } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import type { Problem } from '../problems/domain/problem.js';
import { SILENCES_CHANNEL } from './open-silences.js';
import { findCovering, type Silence } from './domain/silence.js';

/** A critical problem that a silence hides. */
export interface HiddenProblem {
  readonly silenceId: number;
  readonly problemId: string;
}

/** As `insertHiddenProblems`. Their report follows the commit. */
export async function recordHiddenProblems(
  session: SqlSession,
  hidden: readonly HiddenProblem[],
): Promise<void> {
  if (hidden.length === 0) return;
  await insertHiddenProblems(session, hidden);
  await session.notify(SILENCES_CHANNEL, '');
}

/**
 * Records critical problems that silences hide. What is recorded already stays. Call it before deliveries are added: every transaction then
 * locks these rows first.
 */
export async function insertHiddenProblems(
  session: SqlSession,
  hidden: readonly HiddenProblem[],
): Promise<void> {
  if (hidden.length === 0) return;
  await session.query(
    `INSERT INTO silenced_problem (silence_id, problem_id)
     SELECT DISTINCT silence_id, problem_id FROM unnest($1::text[]::bigint[], $2::text[]) AS given (silence_id, problem_id)
     ORDER BY silence_id, problem_id ON CONFLICT DO NOTHING`,
    [hidden.map(({ silenceId }) => String(silenceId)), hidden.map(({ problemId }) => problemId)],
  );
}

interface OpenProblem extends Pick<Problem, 'problemId' | 'kind' | 'participant' | 'severity'> {
  readonly type: EventType;
  readonly reason: string | null;
}

/** Open and acknowledged critical problems that the silence covers, and that are not recorded yet. */
export async function findHiddenProblems(session: SqlSession, silence: Silence): Promise<HiddenProblem[]> {
  const { silenceId } = silence;
  const problems = await session.query<OpenProblem>(
    `SELECT problem_id AS "problemId", kind, problem.participant, problem.severity, type, figures->>'reason' AS reason
     FROM problem JOIN archive USING (event_id)
     WHERE ended_at IS NULL AND (problem.severity = 'critical' OR type = ANY ($2::text[]))
       AND NOT EXISTS (SELECT FROM silenced_problem AS known WHERE known.silence_id = $1 AND known.problem_id = problem.problem_id)
     ORDER BY problem_id`,
    [silenceId, EVENT_TYPES.filter(isUrgent)],
  );
  return problems
    .filter((problem) => findCovering([silence], toFacts(problem)).length > 0)
    .map(({ problemId }) => ({ silenceId, problemId }));
}

function toFacts({ type, participant, severity, kind, reason }: OpenProblem): SilenceFacts {
  return { type, participant, severity, problem: kind, ...(isAlertReason(reason) && { reason }) };
}

/** Marks the problems whose hiding is not reported yet. @returns their ids */
export async function takeUnreported(session: SqlSession, silenceId: number): Promise<string[]> {
  const rows = await session.query<{ problem_id: string }>(
    'UPDATE silenced_problem SET reported = true WHERE silence_id = $1 AND NOT reported RETURNING problem_id',
    [silenceId],
  );
  return rows.map(({ problem_id }) => problem_id);
}

/** All problems that the silence hides or hid. */
export async function listHidden(session: SqlSession, silenceId: number): Promise<string[]> {
  const rows = await session.query<{ problem_id: string }>(
    'SELECT problem_id FROM silenced_problem WHERE silence_id = $1 ORDER BY problem_id',
    [silenceId],
  );
  return rows.map(({ problem_id }) => problem_id);
}
