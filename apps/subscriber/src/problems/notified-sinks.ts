import type { SqlSession } from '@ssb/postgres';
import type { WithheldReason } from '../domain/delivery-kind.js';

/** What the sinks know of a problem. */
export interface NotifiedSinks {
  /** The sinks that got an alert, a reminder or an escalation. */
  readonly notified: ReadonlySet<string>;
  /** The other sinks from which such a message was withheld, with the reason of the last one. */
  readonly withheld: ReadonlyMap<string, WithheldReason>;
  /** A reminder or an escalation is not sent yet. */
  readonly hasPending: boolean;
}

/** Whether the configuration has a sink. */
export type HasSink = (name: string) => boolean;

export const NOBODY_NOTIFIED: NotifiedSinks = { notified: new Set(), withheld: new Map(), hasPending: false };

/** SQL: a row of `delivery` is a reminder or an escalation that can still be withdrawn. */
export const CAN_BE_WITHDRAWN =
  "kind IN ('reminder', 'escalation') AND (delivered_at IS NULL OR parked_until IS NOT NULL)";

/**
 * SQL: it is withdrawn before its sink saw it, or can be. A held alert, a reminder and an escalation can be withdrawn until the first attempt. That may
 * be in progress while a replica has claimed the subject.
 */
const IS_UNSEEN = `attempts = 0 AND claimed_by IS NULL
  AND ((delivered_at IS NULL AND (held OR kind <> 'alert')) OR last_outcome IN ('superseded', 'withdrawn'))`;

/** What the sinks of the configuration know. A sink that was removed gets nothing more. */
export async function findNotifiedSinks(
  session: SqlSession,
  problemIds: readonly string[],
  hasSink: HasSink,
): Promise<ReadonlyMap<string, NotifiedSinks>> {
  if (problemIds.length === 0) return new Map();
  const rows = await session.query<NotifiedRow>(
    `SELECT problem_id AS "problemId", sink, bool_or(withheld IS NULL AND (${IS_UNSEEN}) IS NOT TRUE) AS notified,
            (array_agg(withheld ORDER BY created_at DESC) FILTER (WHERE withheld IS NOT NULL))[1] AS withheld,
            bool_or(${CAN_BE_WITHDRAWN}) AS "hasPending"
     FROM delivery LEFT JOIN delivery_subject USING (sink, subject) WHERE problem_id = ANY ($1::text[]) AND kind IN ('alert', 'reminder', 'escalation')
     GROUP BY problem_id, sink ORDER BY sink`,
    [problemIds],
  );
  return new Map(
    [...new Set(rows.map(({ problemId }) => problemId))].map((problemId) => [
      problemId,
      collect(
        rows.filter((row) => row.problemId === problemId),
        hasSink,
      ),
    ]),
  );
}

interface NotifiedRow {
  readonly problemId: string;
  readonly sink: string;
  readonly notified: boolean;
  readonly withheld: WithheldReason | null;
  readonly hasPending: boolean;
}

function collect(rows: readonly NotifiedRow[], hasSink: HasSink): NotifiedSinks {
  const known = rows.filter(({ sink }) => hasSink(sink));
  return {
    notified: new Set(known.flatMap(({ sink, notified }) => (notified ? [sink] : []))),
    withheld: new Map(
      known.flatMap(({ sink, notified, withheld }) =>
        notified || withheld === null ? [] : [[sink, withheld]],
      ),
    ),
    hasPending: rows.some(({ hasPending }) => hasPending),
  };
}
