import type { SqlSession } from '@ssb/postgres';
import {
  staysClosed,
  type PersonsDecision,
  type Problem,
  type ProblemChange,
  type ProblemKey,
} from './domain/problem.js';

/** A row of the table `problem`, and the number of its changes. */
interface ProblemRow {
  readonly problem_id: string;
  readonly kind: Problem['kind'];
  readonly key: string;
  readonly participant: string;
  readonly state: Problem['state'];
  readonly severity: Problem['severity'];
  readonly worst_severity: Problem['severity'];
  readonly level: Problem['level'] | null;
  readonly worst_level: Problem['level'] | null;
  readonly closed_by_person: boolean;
  readonly since: string;
  readonly opened_at: Date;
  readonly changed_at: Date;
  readonly worsened: number;
  readonly figures: Problem['figures'];
  readonly worst_figures: Problem['figures'];
  readonly worst_measure: string | null;
  readonly event_id: string;
  readonly archive_offset: Problem['archiveOffset'];
  readonly acknowledged_at: Date | null;
  readonly acknowledged_by: string | null;
  readonly acknowledge_comment: string | null;
  readonly ended_at: Date | null;
  readonly closed_by: string | null;
  readonly close_comment: string | null;
  readonly changes: number;
}

const COLUMNS = `problem.*, (SELECT coalesce(max(number), 0) FROM problem_change WHERE problem_change.problem_id = problem.problem_id) AS changes`;

/** Columns that a change of an existing problem can change. */
const CHANGING = [
  'state',
  'severity',
  'worst_severity',
  'level',
  'worst_level',
  'changed_at',
  'worsened',
  'figures',
  'worst_figures',
  'worst_measure',
  'event_id',
  'archive_offset',
  'acknowledged_at',
  'acknowledged_by',
  'acknowledge_comment',
  'ended_at',
  'closed_by',
  'close_comment',
] as const;

/**
 * Locks the open and acknowledged problems of these keys until the transaction ends. They are read after that: a statement that has waited for a
 * lock still sees the earlier changes.
 */
export async function lockOpenProblems(session: SqlSession, keys: readonly ProblemKey[]): Promise<Problem[]> {
  const rows = await session.query<Pick<ProblemRow, 'problem_id'>>(
    `SELECT problem_id FROM problem JOIN (SELECT DISTINCT kind, key FROM unnest($1::text[], $2::text[]) AS given (kind, key)) AS given
       USING (kind, key)
     WHERE ended_at IS NULL ORDER BY problem_id FOR UPDATE OF problem`,
    [keys.map(({ kind }) => kind), keys.map(({ key }) => key)],
  );
  return findProblems(
    session,
    rows.map((row) => row.problem_id),
  );
}

/** Of these keys, those whose problem a person has closed, and that stay closed. Read after the lock on the open ones. */
export async function findHandledKeys(
  session: SqlSession,
  keys: readonly ProblemKey[],
): Promise<ProblemKey[]> {
  const lasting = keys.filter(staysClosed);
  if (lasting.length === 0) return [];
  return session.query<ProblemKey>(
    `SELECT DISTINCT kind, key FROM problem JOIN unnest($1::text[], $2::text[]) AS given (kind, key) USING (kind, key)
     WHERE state = 'closed'`,
    [lasting.map(({ kind }) => kind), lasting.map(({ key }) => key)],
  );
}

/**
 * Locks a problem until the transaction ends.
 * @param isSkipped returns undefined when another transaction has locked it
 */
export async function lockProblem(
  session: SqlSession,
  problemId: string,
  isSkipped = false,
): Promise<Problem | undefined> {
  const locked = await session.query(
    `SELECT 1 FROM problem WHERE problem_id = $1 FOR UPDATE ${isSkipped ? 'SKIP LOCKED' : ''}`,
    [problemId],
  );
  if (locked.length === 0) return undefined;
  const [problem] = await findProblems(session, [problemId]);
  return problem;
}

/** Problems in any state, in the order of their ids. */
export async function findProblems(session: SqlSession, problemIds: readonly string[]): Promise<Problem[]> {
  if (problemIds.length === 0) return [];
  const rows = await session.query<ProblemRow>(
    `SELECT ${COLUMNS} FROM problem WHERE problem_id = ANY ($1::text[]) ORDER BY problem_id`,
    [[...problemIds]],
  );
  return rows.map(toProblem);
}

/** Stores new and changed problems with their new changes, in two statements. */
export async function saveProblems(
  session: SqlSession,
  {
    problems,
    changes,
  }: { readonly problems: readonly Problem[]; readonly changes: readonly ProblemChange[] },
): Promise<void> {
  if (problems.length === 0) return;
  // A problem that ends makes room for the next one of its key.
  const ordered = [...problems].sort(
    (a, b) => Number(b.endedAt !== undefined) - Number(a.endedAt !== undefined),
  );
  await session.query(
    `INSERT INTO problem SELECT * FROM json_populate_recordset(NULL::problem, $1::json)
     ON CONFLICT (problem_id) DO UPDATE SET ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    [JSON.stringify(ordered.map(toRow))],
  );
  await session.query(
    'INSERT INTO problem_change SELECT * FROM json_populate_recordset(NULL::problem_change, $1::json)',
    [JSON.stringify(changes.map(toChangeRow))],
  );
}

export interface OpenProblemCount {
  readonly kind: string;
  readonly severity: string;
  readonly state: string;
  readonly count: number;
}

/** Open and acknowledged problems. */
export function countOpenProblems(session: SqlSession): Promise<OpenProblemCount[]> {
  return session.query<OpenProblemCount>(
    'SELECT kind, severity, state, count(*) AS count FROM problem WHERE ended_at IS NULL GROUP BY kind, severity, state',
  );
}

function toProblem(row: ProblemRow): Problem {
  return {
    problemId: row.problem_id,
    kind: row.kind,
    key: row.key,
    participant: row.participant,
    state: row.state,
    severity: row.severity,
    worstSeverity: row.worst_severity,
    level: row.level ?? undefined,
    worstLevel: row.worst_level ?? undefined,
    closedByPerson: row.closed_by_person,
    since: row.since,
    openedAt: row.opened_at,
    changedAt: row.changed_at,
    worsened: row.worsened,
    figures: row.figures,
    worstFigures: row.worst_figures,
    worstMeasure: row.worst_measure ?? undefined,
    eventId: row.event_id,
    archiveOffset: row.archive_offset,
    acknowledged: toDecision(row.acknowledged_at, row.acknowledged_by, row.acknowledge_comment),
    endedAt: row.ended_at ?? undefined,
    closed: toDecision(row.ended_at, row.closed_by, row.close_comment),
    changes: row.changes,
  };
}

function toDecision(at: Date | null, by: string | null, comment: string | null): PersonsDecision | undefined {
  return at === null || by === null ? undefined : { at, by, comment: comment ?? undefined };
}

function toRow(
  problem: Problem,
): Omit<ProblemRow, 'changes' | 'archive_offset'> & { archive_offset: string } {
  const { acknowledged, closed } = problem;
  return {
    problem_id: problem.problemId,
    kind: problem.kind,
    key: problem.key,
    participant: problem.participant,
    state: problem.state,
    severity: problem.severity,
    worst_severity: problem.worstSeverity,
    level: problem.level ?? null,
    worst_level: problem.worstLevel ?? null,
    closed_by_person: problem.closedByPerson,
    since: problem.since,
    opened_at: problem.openedAt,
    changed_at: problem.changedAt,
    worsened: problem.worsened,
    figures: problem.figures,
    worst_figures: problem.worstFigures,
    worst_measure: problem.worstMeasure ?? null,
    event_id: problem.eventId,
    archive_offset: String(problem.archiveOffset),
    acknowledged_at: acknowledged?.at ?? null,
    acknowledged_by: acknowledged?.by ?? null,
    acknowledge_comment: acknowledged?.comment ?? null,
    ended_at: problem.endedAt ?? null,
    closed_by: closed?.by ?? null,
    close_comment: closed?.comment ?? null,
  };
}

function toChangeRow(change: ProblemChange): object {
  const { problemId, number, kind, at, eventId, requestId, severity, level, figures } = change;
  return {
    problem_id: problemId,
    number,
    kind,
    at,
    event_id: eventId ?? null,
    request_id: requestId === undefined ? null : String(requestId),
    severity,
    level: level ?? null,
    figures: figures ?? null,
  };
}
