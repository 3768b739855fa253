import { amountOf } from '@ssb/config';
import { isAlertReason, type DetectedEvent, type EventType } from '@ssb/events';
import type { Decimal } from '@ssb/market/decimal';
import type { SqlSession } from '@ssb/postgres';
import type { DeliveryKind, WithheldReason } from '../domain/delivery-kind.js';
import type { RemindedProblem, SinkHistory } from './domain/sink-history.js';

/** A problem, what its sinks were sent, and how many messages of each kind. */
export interface ReadProblem {
  readonly problem: RemindedProblem;
  readonly histories: readonly SinkHistory[];
  /** The highest number of each kind by sink. */
  readonly numbers: ReadonlyMap<string, Readonly<Record<'reminder' | 'escalation', number>>>;
}

export interface ReadPage {
  readonly problems: readonly ReadProblem[];
  /** By the clock of the database. */
  readonly now: Date;
}

export interface ProblemsQuery {
  /** Problems after this id, in the order of ids. */
  readonly after: string;
  readonly limit: number;
  /** Only this one. */
  readonly problemId?: string;
  /** A rule compares amounts, so the events of the alerts are read. */
  readonly withAmounts: boolean;
}

/** Reads open and acknowledged problems that can have a reminder or an escalation. */
export async function readProblems(session: SqlSession, query: ProblemsQuery): Promise<ReadPage> {
  const { after, limit, problemId, withAmounts } = query;
  const problems = await session.query<ProblemRow>(
    `SELECT problem_id AS "problemId", kind, participant, state, severity, clock_timestamp() AS now,
            figures->>'reason' AS reason, (SELECT type FROM archive WHERE archive.event_id = problem.event_id) AS type
     FROM problem WHERE ended_at IS NULL AND severity <> 'info' AND problem_id > $1 AND ($2::text IS NULL OR problem_id = $2)
     ORDER BY problem_id LIMIT $3`,
    [after, problemId ?? null, limit],
  );
  const [first] = problems;
  if (first === undefined) return { problems: [], now: new Date(NaN) };
  const rows = await session.query<HistoryRow>(HISTORIES, [
    problems.map((problem) => problem.problemId),
    withAmounts,
  ]);
  return {
    now: first.now,
    problems: problems.map(({ reason, ...row }) => {
      const problem = { ...row, reason: isAlertReason(reason) ? reason : undefined };
      const own = rows.filter((row) => row.problemId === problem.problemId);
      return {
        problem,
        histories: own.map(toHistory),
        numbers: new Map(
          own.map(({ sink, reminders, escalations }) => [
            sink,
            { reminder: reminders, escalation: escalations },
          ]),
        ),
      };
    }),
  };
}

type ProblemRow = Omit<RemindedProblem, 'reason'> & { readonly now: Date; readonly reason: string | null };

interface HistoryRow {
  readonly problemId: string;
  readonly sink: string;
  readonly alertType: EventType | null;
  readonly alertText: string | null;
  readonly lastKind: DeliveryKind;
  readonly lastAt: Date;
  readonly lastPending: boolean;
  readonly lastWithheld: WithheldReason | null;
  readonly firstAlertAt: Date | null;
  readonly openSince: Date | null;
  readonly acknowledgedAt: Date | null;
  readonly hasAccepted: boolean;
  readonly escalatedAt: Date | null;
  readonly escalationWithheld: WithheldReason | null;
  readonly reminders: number;
  readonly escalations: number;
}

/** SQL: the sink accepted the row of `delivery` under this alias. */
const isAccepted = (alias: string): string =>
  `(${alias}.delivered_at < 'infinity' AND ${alias}.withheld IS NULL AND NOT ${alias}.skipped AND ${alias}.replaced_by IS NULL)`;

/** One row for each problem and sink that was sent a message about it. The time of an acceptance is that of a replica, so it is not believed beyond now. */
const HISTORIES = `WITH message AS (
    SELECT problem_id, sink, event_id, kind, problem_state, created_at, withheld, details, ${isAccepted('delivery')} AS accepted,
           max(created_at) FILTER (WHERE problem_state = 'acknowledged') OVER (PARTITION BY problem_id, sink) AS last_acknowledged
    FROM delivery WHERE problem_id = ANY ($1::text[]) AND kind IN ('alert', 'reminder', 'escalation', 'notice')
      AND coalesce(details->>'delivery', '') NOT LIKE 'silence-%'
  ), summary AS (
    SELECT problem_id, sink,
           (array_agg(event_id ORDER BY created_at DESC, event_id DESC) FILTER (WHERE kind = 'alert'))[1] AS alert_id,
           (array_agg(event_id ORDER BY created_at DESC, event_id DESC) FILTER (WHERE kind <> 'notice'))[1] AS last_id,
           (array_agg(event_id ORDER BY created_at DESC, event_id DESC) FILTER (WHERE kind = 'escalation'))[1] AS escalation_id,
           min(created_at) FILTER (WHERE kind = 'alert') AS first_alert_at,
           min(created_at) FILTER (WHERE kind = 'alert' AND problem_state = 'open' AND created_at > coalesce(last_acknowledged, '-infinity')) AS open_since,
           max(created_at) FILTER (WHERE kind = 'notice' AND problem_state = 'acknowledged') AS acknowledged_at,
           coalesce(bool_or(accepted) FILTER (WHERE kind <> 'notice'), false) AS has_accepted,
           coalesce(max((details->>'number')::integer) FILTER (WHERE kind = 'reminder'), 0) AS reminders,
           coalesce(max((details->>'number')::integer) FILTER (WHERE kind = 'escalation'), 0) AS escalations
    FROM message GROUP BY problem_id, sink
  )
  SELECT summary.problem_id AS "problemId", summary.sink, archive.type AS "alertType", CASE WHEN $2::boolean THEN archive.event END AS "alertText",
         last.kind AS "lastKind", last.delivered_at IS NULL OR last.parked_until IS NOT NULL AS "lastPending", last.withheld AS "lastWithheld",
         greatest(last.created_at, CASE WHEN ${isAccepted('last')} THEN least(last.delivered_at, clock_timestamp()) END) AS "lastAt",
         first_alert_at AS "firstAlertAt", open_since AS "openSince", acknowledged_at AS "acknowledgedAt", has_accepted AS "hasAccepted",
         escalation.created_at AS "escalatedAt", escalation.withheld AS "escalationWithheld", reminders, escalations
  FROM summary JOIN delivery AS last ON last.event_id = last_id AND last.sink = summary.sink
    LEFT JOIN delivery AS escalation ON escalation.event_id = escalation_id AND escalation.sink = summary.sink
    LEFT JOIN archive ON archive.event_id = alert_id
  ORDER BY summary.problem_id, summary.sink`;

function toHistory(row: HistoryRow): SinkHistory {
  return {
    sink: row.sink,
    alert: row.alertType === null ? undefined : { type: row.alertType, amount: readAmount(row.alertText) },
    last: {
      kind: row.lastKind,
      at: row.lastAt,
      isPending: row.lastPending,
      withheld: row.lastWithheld ?? undefined,
    },
    firstAlertAt: row.firstAlertAt ?? undefined,
    openSince: row.openSince ?? undefined,
    acknowledgedAt: row.acknowledgedAt ?? undefined,
    hasAccepted: row.hasAccepted,
    lastEscalation:
      row.escalatedAt === null
        ? undefined
        : { at: row.escalatedAt, withheld: row.escalationWithheld ?? undefined },
  };
}

/** The event is verified before it is sent. Until then its text may be anything, so a failure means no amount. */
function readAmount(text: string | null): Decimal | undefined {
  if (text === null) return undefined;
  try {
    return amountOf(JSON.parse(text) as DetectedEvent);
  } catch {
    return undefined;
  }
}
