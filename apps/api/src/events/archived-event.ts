import type { Database } from '@ssb/postgres';
import { maySee, type Caller } from '../access/caller.js';
import { archivedEvents, findId } from '../database/find-id.js';
import type { EventProblem } from './event-detail-dto.js';
import type { EventRow } from './event-dto.js';
import { ROW_COLUMNS } from './event-queries.js';

/** What the archive has about an event besides the row of a listing. */
export interface ArchivedEvent extends Omit<EventRow, 'figures'> {
  /** The exact text that was signed. */
  readonly text: string;
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly origin: string;
  readonly signature: string;
  readonly timestampNanos: string;
  /** `archivedAt` with microseconds, as PostgreSQL writes it. */
  readonly archivedAtText: string;
}

/**
 * An archived event that the caller may see.
 * @param text its id, or the first 6 characters or more
 * @throws ProblemException 409 when several begin so
 */
export async function findArchivedEvent(
  database: Database,
  caller: Caller,
  text: string,
): Promise<ArchivedEvent | undefined> {
  const id = await findId(database, text, 'events', archivedEvents(caller));
  if (id === undefined) return undefined;
  const [row] = await database.query<ArchivedEvent>(
    `SELECT ${ROW_COLUMNS}, event AS text, channel, message_id AS "messageId", sender, origin, signature,
            appended_at_nanos::text AS "timestampNanos", archived_at::text AS "archivedAtText"
     FROM archive WHERE event_id = $1`,
    [id],
  );
  return row;
}

/** The problems that an event changed, of those that the caller may see. */
export async function listProblemsOfEvent(
  database: Database,
  caller: Caller,
  id: string,
): Promise<readonly EventProblem[]> {
  const rows = await database.query<EventProblem & { readonly participant: string }>(
    `SELECT problem_id AS id, problem.kind, problem.state, problem_change.kind AS change, problem.participant
     FROM problem_change JOIN problem USING (problem_id) WHERE problem_change.event_id = $1 ORDER BY problem_id, number`,
    [id],
  );
  return rows
    .filter(({ participant }) => maySee(caller, participant))
    .map(({ participant: _, ...problem }) => problem);
}
