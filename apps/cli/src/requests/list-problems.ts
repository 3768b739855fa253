import type { ProblemKind } from '@ssb/events';
import { Conditions, type Database } from '@ssb/postgres';
import { parseBeginning } from './find-event.js';
import { RequestError } from './subscriber-database.js';

export const PROBLEM_STATES = ['open', 'acknowledged', 'resolved', 'closed'] as const;
export const SEVERITIES = ['info', 'warning', 'critical'] as const;

export interface ListedProblem {
  readonly problemId: string;
  readonly kind: ProblemKind;
  readonly key: string;
  readonly participant: string;
  readonly state: (typeof PROBLEM_STATES)[number];
  readonly severity: string;
  readonly worstSeverity: string;
  readonly level: string | null;
  readonly worstLevel: string | null;
  readonly closedByPerson: boolean;
  readonly since: string;
  readonly openedAt: Date;
  readonly changedAt: Date;
  readonly worsened: number;
  readonly figures: Readonly<Record<string, string>>;
  readonly worstFigures: Readonly<Record<string, string>>;
  readonly worstMeasure: string | null;
  readonly acknowledgedAt: Date | null;
  readonly acknowledgedBy: string | null;
  readonly acknowledgeComment: string | null;
  readonly endedAt: Date | null;
  readonly closedBy: string | null;
  readonly closeComment: string | null;
}

export interface ProblemFilter {
  readonly states: readonly string[];
  readonly kinds?: readonly string[] | undefined;
  readonly severities?: readonly string[] | undefined;
  readonly participant?: string | undefined;
  readonly limit: number;
}

const COLUMNS = `problem_id AS "problemId", kind, key, participant, state, severity, worst_severity AS "worstSeverity", level,
  worst_level AS "worstLevel", closed_by_person AS "closedByPerson", since, opened_at AS "openedAt", changed_at AS "changedAt", worsened,
  figures, worst_figures AS "worstFigures", worst_measure AS "worstMeasure", acknowledged_at AS "acknowledgedAt",
  acknowledged_by AS "acknowledgedBy", acknowledge_comment AS "acknowledgeComment", ended_at AS "endedAt", closed_by AS "closedBy",
  close_comment AS "closeComment"`;

/** Open problems first, then acknowledged ones; of these the worst first. Ended ones follow, the newest first. */
export async function listProblems(
  database: Database,
  { states, kinds, severities, participant, limit }: ProblemFilter,
): Promise<{ readonly problems: readonly ListedProblem[]; readonly more: boolean }> {
  const conditions = new Conditions()
    .add(states, (list) => `state = ANY (${list}::text[])`)
    .add(kinds, (list) => `kind = ANY (${list}::text[])`)
    .add(severities, (list) => `severity = ANY (${list}::text[])`)
    .add(participant, (code) => `participant = ${code}`);
  const rows = await database.query<ListedProblem>(
    `SELECT ${COLUMNS} FROM problem ${conditions.where}
     ORDER BY CASE state WHEN 'open' THEN 0 WHEN 'acknowledged' THEN 1 ELSE 2 END,
              CASE WHEN ended_at IS NULL THEN array_position(ARRAY['critical', 'warning', 'info'], severity) END,
              ended_at DESC NULLS FIRST, opened_at DESC, problem_id
     LIMIT ${conditions.parameter(limit + 1)}`,
    conditions.values,
  );
  return { problems: rows.slice(0, limit), more: rows.length > limit };
}

/** @param beginning of the id, at least 6 characters @throws RequestError when no problem or several have it */
export async function findProblem(database: Database, beginning: string): Promise<ListedProblem> {
  const id = parseBeginning(beginning, 'a problem', 'busbridge problems list');
  const rows = await database.query<ListedProblem>(
    `SELECT ${COLUMNS} FROM problem WHERE problem_id LIKE $1 || '%' ORDER BY problem_id LIMIT 2`,
    [id],
  );
  const [problem] = rows;
  if (problem === undefined)
    throw new RequestError(
      `There is no problem ${beginning}. "busbridge problems list --all" shows the ids.`,
    );
  if (rows.length > 1)
    throw new RequestError(`Several problems begin with ${beginning}. Give more characters of the id.`);
  return problem;
}

export interface ListedChange {
  readonly number: number;
  readonly at: Date;
  readonly kind: string;
  readonly severity: string;
  readonly level: string | null;
  readonly figures: Readonly<Record<string, string>> | null;
  readonly eventId: string | null;
  readonly type: string | null;
  readonly requestId: number | null;
  readonly author: string | null;
  readonly comment: string | null;
}

export const MAX_CHANGES = 500;

/** The history of a problem, oldest change first: the newest `MAX_CHANGES`. */
export async function listChanges(database: Database, problemId: string): Promise<readonly ListedChange[]> {
  const rows = await database.query<ListedChange>(
    `SELECT number, at, problem_change.kind, problem_change.severity, level, figures, event_id AS "eventId", archive.type, request_id AS "requestId",
            author, comment
     FROM problem_change LEFT JOIN archive USING (event_id) LEFT JOIN request USING (request_id)
     WHERE problem_id = $1 ORDER BY number DESC LIMIT $2`,
    [problemId, MAX_CHANGES],
  );
  return rows.reverse();
}
