import type { SilenceMatchers } from '@ssb/config';
import { Conditions, type Database } from '@ssb/postgres';

export interface ListedSilence {
  readonly silenceId: number;
  readonly state: 'scheduled' | 'active' | 'ended';
  readonly matchers: SilenceMatchers;
  readonly startsAt: Date;
  /** When it ends, or ended. */
  readonly endsAt: Date;
  readonly author: string;
  readonly comment: string;
  readonly endedBy: string | null;
  readonly endComment: string | null;
  /** Critical problems that it hides or hid. */
  readonly hiddenProblems: readonly string[];
}

export interface SilenceFilter {
  /** Also those that have ended. */
  readonly all: boolean;
  /** Only those that apply at this time. */
  readonly at?: string | undefined;
  readonly limit: number;
}

const END = 'coalesce(ended_at, ends_at)';
const COLUMNS = `silence_id AS "silenceId",
  CASE WHEN ${END} <= clock_timestamp() THEN 'ended' WHEN starts_at <= clock_timestamp() THEN 'active' ELSE 'scheduled' END AS state,
  matchers, starts_at AS "startsAt", ${END} AS "endsAt", author, comment, ended_by AS "endedBy", end_comment AS "endComment",
  ARRAY(SELECT problem_id FROM silenced_problem AS hidden WHERE hidden.silence_id = silence.silence_id ORDER BY problem_id) AS "hiddenProblems"`;

/** The newest first. */
export async function listSilences(
  database: Database,
  { all, at, limit }: SilenceFilter,
): Promise<{ readonly silences: readonly ListedSilence[]; readonly more: boolean }> {
  const conditions = new Conditions().add(
    at,
    (time) => `starts_at <= ${time}::timestamptz AND ${END} > ${time}::timestamptz`,
  );
  if (!all) conditions.addText(`${END} > clock_timestamp()`);
  const rows = await database.query<ListedSilence>(
    `SELECT ${COLUMNS} FROM silence ${conditions.where} ORDER BY silence_id DESC LIMIT ${conditions.parameter(limit + 1)}`,
    conditions.values,
  );
  return { silences: rows.slice(0, limit), more: rows.length > limit };
}
