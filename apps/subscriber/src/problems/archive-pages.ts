import {
  describeProblemKind,
  PROBLEM_KINDS,
  readProblemSignal,
  type DetectedEvent,
  type EventType,
} from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import type { AlertPolicy } from '../archive/alert-policy.js';
import type { StoredEvent } from '../receiver/domain/verify-stored-event.js';
import { isSequenced, toStorable } from './apply-events.js';
import type { ProblemRequest } from './domain/decide-request.js';
import type { ArchivedSignal } from './domain/decide-transition.js';
import type { ArchiveOffset } from './domain/problem.js';
import type { StaleEvents } from './domain/stale-events.js';

/** Types of events that say something about a problem. The partial index `archive_problem` has the same list. */
export const PROBLEM_TYPES: readonly EventType[] = [
  ...new Set(
    PROBLEM_KINDS.flatMap((kind) => {
      const { opens, resolves } = describeProblemKind(kind);
      return [...opens, ...resolves];
    }),
  ),
].sort();

/** Literals, so that the partial index applies. */
const IS_ABOUT_PROBLEM = `type IN (${PROBLEM_TYPES.map((type) => `'${type}'`).join(', ')})`;

/** A row of the archive about a problem. */
export interface ArchivedRow extends StoredEvent {
  readonly archiveOffset: ArchiveOffset;
  readonly archivedAt: Date;
  readonly backlog: boolean;
}

/** The next rows of the archive about problems, in its order. */
export function readPage(session: SqlSession, after: ArchiveOffset, limit: number): Promise<ArchivedRow[]> {
  return session.query<ArchivedRow>(
    `SELECT archive_offset AS "archiveOffset", archived_at AS "archivedAt", backlog, event_id AS "eventId", type, subject, participant,
            sequence, channel, message_id AS "messageId", sender, origin, signature, marks, event AS text
     FROM archive WHERE archive_offset > $1 AND ${IS_ABOUT_PROBLEM} ORDER BY archive_offset LIMIT $2`,
    [after, limit],
  );
}

/** Archived events of the problems that are in the table now. */
export async function readAppliedEvents(session: SqlSession): Promise<ReadonlySet<string>> {
  const rows = await session.query<{ event_id: string }>(
    'SELECT event_id FROM problem_change JOIN archive USING (event_id)',
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

export async function countRows(session: SqlSession): Promise<number> {
  const [row] = await session.query<{ count: number }>(
    `SELECT count(*) AS count FROM archive WHERE ${IS_ABOUT_PROBLEM}`,
  );
  return row?.count ?? 0;
}

/** What a verified row says about a problem, as when its event was archived. */
export function toSignal(
  row: ArchivedRow,
  stale: StaleEvents,
  policy: Pick<AlertPolicy, 'severityOf'>,
): ArchivedSignal | undefined {
  const event = JSON.parse(row.text) as DetectedEvent;
  const problem = readProblemSignal(event);
  if (problem === undefined) return undefined;
  return {
    signal: toStorable(problem),
    severity: policy.severityOf(problem),
    eventId: row.eventId,
    participant: row.participant,
    time: event.time,
    archivedAt: row.archivedAt,
    archiveOffset: row.archiveOffset,
    isBacklog: row.backlog,
    isStale: isSequenced(event.type, row.origin) && stale.check(row),
  };
}

/** A request that was carried out when the last event of its problem was that of the offset. */
export interface AppliedRequest extends ProblemRequest {
  readonly problemId: string;
  readonly archiveOffset: string;
}

/** The requests that were carried out after events of these offsets. */
export async function readRequests(
  session: SqlSession,
  offsets: readonly ArchiveOffset[],
): Promise<AppliedRequest[]> {
  const rows = await session.query<Omit<AppliedRequest, 'comment'> & { readonly comment: string | null }>(
    `SELECT request_id AS "requestId", kind, author, comment, parameters ->> 'problemId' AS "problemId",
            result ->> 'archiveOffset' AS "archiveOffset", (result ->> 'at')::timestamptz AS at
     FROM request
     WHERE outcome = 'done' AND kind IN ('acknowledge', 'close') AND result ->> 'archiveOffset' = ANY ($1::text[])
     ORDER BY at, request_id`,
    [offsets.map(String)],
  );
  return rows.map((row) => ({ ...row, comment: row.comment ?? undefined }));
}
