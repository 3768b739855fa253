import type { SqlSession } from '@ssb/postgres';
import {
  ALERT_REASON_NAMES,
  ALERT_REASONS,
  ALL_PARTICIPANTS,
  alertSubject,
  FURTHER_DOCUMENTS,
  type AlertTopic,
} from '@ssb/events';
import { SUMMARY_INTERVAL_MS, type ReportAllowance, type FaultState } from '@ssb/faults';

/** A fault as the table holds it. An ended fault is kept for a day, so that its sequence continues. */
export interface SavedFault {
  readonly state: FaultState;
  /** Ids of the latest calls that changed it. */
  readonly callIds: readonly string[];
}

interface FaultRow {
  app: AlertTopic['app'];
  reason: AlertTopic['reason'];
  participant: string;
  channel: string | null;
  sender: string | null;
  interface: string | null;
  document: string | null;
  since: Date;
  count: number;
  detail: string | null;
  reported_count: number;
  reported_at: Date | null;
  sequence: number;
  ended_at: Date | null;
  call_ids: string[];
  confirmed_at: NonNullable<FaultState['confirmedAt']>;
}

const COLUMNS = `app, reason, participant, channel, sender, interface, document, since, count, detail, reported_count, reported_at,
  sequence, ended_at, call_ids, confirmed_at`;

/**
 * Locks the faults until the transaction ends, so that all replicas count together.
 * @returns the reports of the current hour; undefined before the first one
 */
export async function lockAllowance(session: SqlSession): Promise<ReportAllowance | undefined> {
  const [row] = await session.query<{
    started_at: Date | null;
    sent: ReportAllowance['sent'];
    held_since: Date | null;
  }>(
    `INSERT INTO report_allowance (only_row) VALUES (true) ON CONFLICT (only_row) DO UPDATE SET only_row = true
     RETURNING started_at, sent, held_since`,
  );
  if (row?.started_at == null) return undefined;
  const { started_at: startedAt, sent, held_since: heldSince } = row;
  return { startedAt, sent, ...(heldSince !== null && { heldSince }) };
}

/** Requires `lockAllowance`. */
export async function saveAllowance(
  session: SqlSession,
  allowance: ReportAllowance | undefined,
): Promise<void> {
  await session.query('UPDATE report_allowance SET started_at = $1, sent = $2::jsonb, held_since = $3', [
    allowance?.startedAt ?? null,
    JSON.stringify(allowance?.sent ?? {}),
    allowance?.heldSince ?? null,
  ]);
}

export async function findFault(session: SqlSession, topic: AlertTopic): Promise<SavedFault | undefined> {
  const [row] = await session.query<FaultRow>(`SELECT ${COLUMNS} FROM fault WHERE key = $1`, [
    alertSubject(topic),
  ]);
  return row && toSavedFault(row);
}

/** Topics of the lasting faults. */
export async function listLastingTopics(session: SqlSession): Promise<AlertTopic[]> {
  const rows = await session.query<FaultRow>(
    `SELECT ${COLUMNS} FROM fault WHERE ended_at IS NULL AND reason = ANY ($1::text[])`,
    [LASTING_REASONS],
  );
  return rows.map((row) => toSavedFault(row).state.topic);
}

/** Topics of lasting faults that stand for those of further documents. */
export async function listOverflowTopics(session: SqlSession): Promise<AlertTopic[]> {
  const rows = await session.query<FaultRow>(
    `SELECT ${COLUMNS} FROM fault WHERE ended_at IS NULL AND participant = $1 AND document = $2`,
    [ALL_PARTICIPANTS, FURTHER_DOCUMENTS],
  );
  return rows.map((row) => toSavedFault(row).state.topic);
}

/** Whether `sendSummaries` has anything to do; without a lock. */
export async function hasDueReports(session: SqlSession, now: Date): Promise<boolean> {
  if ((await findDueFaults(session, now, 1)).length > 0) return true;
  const held = await session.query('SELECT 1 FROM report_allowance WHERE held_since IS NOT NULL');
  return held.length > 0;
}

/** Faults with a report that is due, oldest first. */
export async function findDueFaults(session: SqlSession, now: Date, limit: number): Promise<SavedFault[]> {
  const rows = await session.query<FaultRow>(
    `SELECT ${COLUMNS} FROM fault
     WHERE count > reported_count AND (reported_at IS NULL OR reported_at <= $1) ORDER BY since, key LIMIT $2`,
    [new Date(now.getTime() - SUMMARY_INTERVAL_MS), limit],
  );
  return rows.map(toSavedFault);
}

export async function countFaults(session: SqlSession): Promise<number> {
  const [row] = await session.query<{ faults: number }>('SELECT count(*) AS faults FROM fault');
  return row?.faults ?? 0;
}

/** Requires `lockAllowance`. */
export async function saveFault(session: SqlSession, { state, callIds }: SavedFault): Promise<void> {
  const { topic, since, count, detail, reportedCount, reportedAt, sequence, endedAt, confirmedAt } = state;
  await session.query(
    `INSERT INTO fault (key, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17::jsonb)
     ON CONFLICT (key) DO UPDATE SET since = excluded.since, count = excluded.count, detail = excluded.detail,
       reported_count = excluded.reported_count, reported_at = excluded.reported_at, sequence = excluded.sequence,
       ended_at = excluded.ended_at, call_ids = excluded.call_ids,
       confirmed_at = excluded.confirmed_at`,
    [
      alertSubject(topic),
      topic.app,
      topic.reason,
      topic.participant,
      topic.channel ?? null,
      topic.sender ?? null,
      topic.interface ?? null,
      topic.document ?? null,
      since,
      count,
      detail ?? null,
      reportedCount,
      reportedAt ?? null,
      sequence,
      endedAt ?? null,
      callIds,
      JSON.stringify(confirmedAt ?? {}),
    ],
  );
}

const LASTING_REASONS = ALERT_REASON_NAMES.filter((name) => ALERT_REASONS[name].clears);

/** Deletes reported faults a day after their end, or an hour after it when they are about a document. Lasting faults stay until they end. */
export async function deleteEndedFaults(session: SqlSession, now: Date): Promise<void> {
  await session.query(
    `DELETE FROM fault
     WHERE count <= reported_count AND coalesce(ended_at, reported_at) < $1::timestamptz - CASE WHEN document IS NULL THEN interval '1 day' ELSE interval '1 hour' END
       AND (ended_at IS NOT NULL OR reason <> ALL ($2::text[]))`,
    [now, LASTING_REASONS],
  );
}

function toSavedFault(row: FaultRow): SavedFault {
  const { app, reason, participant, channel, sender, since, count, detail, sequence } = row;
  const topic = {
    app,
    reason,
    participant,
    ...(channel !== null && { channel }),
    ...(sender !== null && { sender }),
    ...(row.interface !== null && { interface: row.interface }),
    ...(row.document !== null && { document: row.document }),
  };
  const state: FaultState = {
    topic,
    since,
    count,
    ...(detail !== null && { detail }),
    reportedCount: row.reported_count,
    ...(row.reported_at !== null && { reportedAt: row.reported_at }),
    sequence,
    ...(row.ended_at !== null && { endedAt: row.ended_at }),
    confirmedAt: row.confirmed_at,
  };
  return { state, callIds: row.call_ids };
}
