import { Injectable } from '@nestjs/common';
import { Conditions, Database } from '@ssb/postgres';
import { visibleParticipants, type Caller } from '../access/caller.js';
import { findId, ofParticipants } from '../database/find-id.js';
import { presentMembers } from '../database/present-members.js';
import { toPage, type Page } from '../http/page.js';
import { parseCursor, toCursor, type ProblemPlace } from './problem-cursor.js';
import { PRESENT_STATES, type ProblemRow, type ProblemsQuery } from './problem-dto.js';

const COLUMNS = `problem_id AS id, kind, key, participant, state, severity, worst_severity AS "worstSeverity", level, worst_level AS "worstLevel",
  closed_by_person AS "closedByPerson", since, opened_at AS "openedAt", changed_at AS "changedAt", worsened, figures,
  worst_figures AS "worstFigures", worst_measure AS "worstMeasure", acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy",
  acknowledge_comment AS "acknowledgeComment", ended_at AS "endedAt", closed_by AS "closedBy", close_comment AS "closeComment"`;

/** One part of the listing, in its own order. */
interface Section {
  readonly isOf: string;
  readonly stage: string;
  readonly rank: string;
  readonly time: string;
}

const PRESENT: Section = {
  isOf: 'ended_at IS NULL',
  stage: `CASE state WHEN 'open' THEN 0 ELSE 1 END`,
  rank: `array_position(ARRAY['critical', 'warning', 'info'], severity)`,
  time: 'opened_at',
};
/** An index has these in their order. */
const ENDED: Section = { isOf: 'ended_at IS NOT NULL', stage: '2', rank: '0', time: 'ended_at' };

type PlacedProblem = ProblemRow & { readonly place: Omit<ProblemPlace, 'id'> };

/** Reads problems. */
@Injectable()
export class ProblemQueries {
  constructor(private readonly database: Database) {}

  /**
   * Open problems first, then acknowledged ones; of these the worst first. Ended ones follow, the newest first.
   * @throws InvalidRequestError for a malformed cursor
   */
  async list(caller: Caller, query: ProblemsQuery): Promise<Page<ProblemRow>> {
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
    const isPresent = (state: string): boolean => PRESENT_STATES.some((each) => each === state);
    const rows: PlacedProblem[] = [];
    if (query.state.some(isPresent) && after?.stage !== 2)
      rows.push(...(await this.read(PRESENT, caller, query, after, query.limit + 1)));
    if (query.state.some((state) => !isPresent(state)) && rows.length <= query.limit)
      rows.push(
        ...(await this.read(
          ENDED,
          caller,
          query,
          after?.stage === 2 ? after : undefined,
          query.limit + 1 - rows.length,
        )),
      );
    const { items, next } = toPage(rows, query.limit, ({ id, place }) => toCursor({ ...place, id }));
    return { items: items.map(({ place: _, ...row }) => row), ...(next !== undefined && { next }) };
  }

  /**
   * A problem that the caller may see.
   * @param text its id, or the first 6 characters or more
   * @throws ProblemException 409 when several begin so
   */
  async find(caller: Caller, text: string): Promise<ProblemRow | undefined> {
    const id = await findId(this.database, text, 'problems', ofParticipants(caller, 'problem', 'problem_id'));
    if (id === undefined) return undefined;
    const [row] = await this.database.query<ProblemRow>(
      `SELECT ${COLUMNS} FROM problem WHERE problem_id = $1`,
      [id],
    );
    return row && presentMembers(row);
  }

  private async read(
    section: Section,
    caller: Caller,
    query: ProblemsQuery,
    after: ProblemPlace | undefined,
    limit: number,
  ): Promise<PlacedProblem[]> {
    const { isOf, stage, rank, time } = section;
    const conditions = visibleTo(caller, query.participant)
      .addText(isOf)
      .add(query.state, (states) => `state = ANY (${states}::text[])`)
      .add(query.kind, (kinds) => `kind = ANY (${kinds}::text[])`)
      .add(query.severity, (severities) => `severity = ANY (${severities}::text[])`)
      .add(query.since, (since) => `opened_at >= ${since}::timestamptz`);
    if (after !== undefined) {
      const isLater = `(${time}, problem_id) < (${conditions.parameter(after.time)}::timestamptz, ${conditions.parameter(after.id)})`;
      conditions.addText(section === ENDED ? isLater : isAfterStage(conditions, section, after, isLater));
    }
    const rows = await this.database.query<PlacedProblem>(
      `SELECT ${COLUMNS}, json_build_object('stage', ${stage}, 'rank', ${rank},
         'time', to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) AS place
       FROM problem ${conditions.where}
       ORDER BY ${section === ENDED ? '' : `${stage}, ${rank},`} ${time} DESC, problem_id DESC LIMIT ${conditions.parameter(limit)}`,
      conditions.values,
    );
    return rows.map((row) => presentMembers(row) as PlacedProblem);
  }
}

/** SQL: a problem of a later stage or rank, or of the same ones and later. */
function isAfterStage(
  conditions: Conditions,
  { stage, rank }: Section,
  after: ProblemPlace,
  isLater: string,
): string {
  const place = [after.stage, after.rank].map((value) => `${conditions.parameter(value)}::integer`).join();
  return `((${stage}, ${rank}) > (${place}) OR ((${stage}, ${rank}) = (${place}) AND ${isLater}))`;
}

/** Problems of no single participant are only for callers that may see all. */
function visibleTo(caller: Caller, wanted?: readonly string[]): Conditions {
  return new Conditions().add(
    visibleParticipants(caller, wanted),
    (codes) => `participant = ANY (${codes}::text[])`,
  );
}
