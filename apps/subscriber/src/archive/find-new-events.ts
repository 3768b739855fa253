import type { SqlSession } from '@ssb/postgres';
import { reject } from '../receiver/domain/rejection.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { RejectedEntry, RepeatResult, VerifiedEntry } from './archive-entries.js';
import { findRestatedRepeats } from './document-versions.js';
import { isReplay, mayBeDeleted } from './domain/replay.js';
import { REPEATED_VERSION } from './record-results.js';

/*
 * An event is archived once. These checks find repeats, in this order:
 *
 *   withoutRepeats        a repeat within the batch (record-results.ts)
 *   findReplays           the inbox may have deleted the id, and the subject has a later event: quarantined
 *   findRestatedRepeats   the archive holds the restated version of a document (document-versions.ts)
 *   insertInbox           the inbox has the id
 *   findDoubtfulRepeats   of those, the ones whose archived event is missing or differs: new, or quarantined as an id conflict
 */

/** Verified entries by what the database knows of their events. An entry in none of these lists is a repeat of an event. */
export interface NewEvents {
  /** Archived next. */
  readonly newEntries: readonly VerifiedEntry[];
  /** Restated versions that the archive holds. */
  readonly repeats: ReadonlyMap<VerifiedEntry, RepeatResult>;
  /** New entries whose ids were in the inbox, with neither an archived event nor a recorded deletion. */
  readonly unarchived: readonly VerifiedEntry[];
  /** Entries whose id belongs to an archived event that fails verification, as rejected entries. */
  readonly idConflicts: ReadonlyMap<VerifiedEntry, RejectedEntry>;
}

/**
 * Adds the ids of entries to the inbox, and finds those that are not repeats. The run role can insert ids into the inbox, and forged events into
 * the archive. Neither makes a verified event a repeat.
 */
export async function findNewEvents(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
  verifyStored: (stored: StoredEvent) => StoredVerdict,
): Promise<NewEvents> {
  const restated = await findRestatedRepeats(session, entries);
  const candidates = entries.filter((entry) => !restated.has(entry));
  const newIds = await insertInbox(session, candidates, now);
  const known = candidates.filter(({ event }) => !newIds.has(event.id));
  const unarchived: VerifiedEntry[] = [];
  const idConflicts = new Map<VerifiedEntry, RejectedEntry>();
  for (const { entry, stored } of await findDoubtfulRepeats(session, known)) {
    const verdict = stored && verifyStored(stored);
    if (verdict === undefined) unarchived.push(entry);
    else if (!verdict.ok) idConflicts.set(entry, toIdConflict(entry, verdict.detail));
  }
  return {
    newEntries: candidates.filter((entry) => newIds.has(entry.event.id) || unarchived.includes(entry)),
    repeats: new Map([...restated].map((entry) => [entry, REPEATED_VERSION])),
    unarchived,
    idConflicts,
  };
}

function toIdConflict({ message, event }: VerifiedEntry, detail: string): RejectedEntry {
  return {
    kind: 'rejected',
    message,
    ...reject(
      'id-taken',
      `the archive holds another event with the id of ${event.type} ${event.id}; ${detail}`,
    ),
    trustedSource: { sender: message.sender, participant: event.participant },
  };
}

/** @returns the entries that may be replays of events whose id was deleted from the inbox */
export async function findReplays(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<ReadonlySet<VerifiedEntry>> {
  if (entries.length === 0) return new Set();
  const heldSince = await readHorizons(session);
  const suspects = entries.filter(({ event }) => mayBeDeleted(event, heldSince.get(event.type)));
  if (suspects.length === 0) return new Set();
  const heldIds = await findHeldIds(session, suspects);
  const highest = await readHighestSequences(session, suspects);
  return new Set(
    suspects.filter(
      ({ event }) =>
        !heldIds.has(event.id) && isReplay(event, heldSince.get(event.type), highest.get(event.subject)),
    ),
  );
}

async function readHorizons(session: SqlSession): Promise<ReadonlyMap<string, Date>> {
  const rows = await session.query<{ type: string; held_since: Date }>(
    'SELECT type, held_since FROM inbox_horizon',
  );
  return new Map(rows.map(({ type, held_since }) => [type, held_since]));
}

async function findHeldIds(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<ReadonlySet<string>> {
  const rows = await session.query<{ event_id: string }>(
    'SELECT event_id FROM inbox WHERE event_id = ANY ($1::text[])',
    [entries.map(({ event }) => event.id)],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

/** @returns the event ids that the inbox did not have. They are inserted in order of id, which avoids deadlocks. */
export async function insertInbox(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const rows = await session.query<{ event_id: string }>(
    `INSERT INTO inbox (event_id, received_at) SELECT id, $2::timestamptz FROM unnest($1::text[]) AS given (id) ORDER BY id
     ON CONFLICT DO NOTHING RETURNING event_id`,
    [entries.map(({ event }) => event.id), now],
  );
  return new Set(rows.map(({ event_id }) => event_id));
}

/** What the archive holds under the id of an event that the inbox names. */
interface DoubtfulRepeat {
  readonly entry: VerifiedEntry;
  /** Another text of the event; undefined when the archive has no row and no deletion of its type is recorded. */
  readonly stored: StoredEvent | undefined;
}

/** A repeat without an archive row has null in all columns but the first. */
type DoubtfulRow = { readonly id: string } & (StoredEvent | { readonly [Column in keyof StoredEvent]: null });

/** Finds repeats whose archive row is missing or has another text. @param repeats entries whose id is in the inbox */
async function findDoubtfulRepeats(
  session: SqlSession,
  repeats: readonly VerifiedEntry[],
): Promise<DoubtfulRepeat[]> {
  if (repeats.length === 0) return [];
  const rows = await session.query<DoubtfulRow>(
    `SELECT given.id, event_id AS "eventId", type, subject, participant, sequence, channel, message_id AS "messageId", sender, origin,
            signature, marks, event AS text
     FROM unnest($1::text[], $2::text[], $3::text[]) AS given (id, payload, given_type) LEFT JOIN archive ON event_id = given.id
     WHERE event IS DISTINCT FROM payload
       AND (event_id IS NOT NULL OR NOT EXISTS (
         SELECT FROM deleted_event
         WHERE deleted_event.event_id = given.id AND deleted_event.type = given_type))`,
    [
      repeats.map(({ event }) => event.id),
      repeats.map(({ message }) => message.payload),
      repeats.map(({ event }) => event.type),
    ],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  return repeats.flatMap((entry) => {
    const row = found.get(entry.event.id);
    if (row === undefined) return [];
    return [{ entry, stored: row.eventId === null ? undefined : row }];
  });
}

/** The highest archived sequence of each subject that has one. */
export async function readHighestSequences(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<ReadonlyMap<string, string>> {
  if (entries.length === 0) return new Map();
  const rows = await session.query<{ subject: string; highest: string }>(
    'SELECT subject, highest FROM subject_sequence WHERE subject = ANY ($1::text[])',
    [[...new Set(entries.map(({ event }) => event.subject))]],
  );
  return new Map(rows.map(({ subject, highest }) => [subject, highest]));
}

export async function raiseHighestSequences(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<void> {
  await session.query(
    `INSERT INTO subject_sequence AS known (subject, highest)
     SELECT subject, max(sequence COLLATE "C") FROM unnest($1::text[], $2::text[]) AS given (subject, sequence)
     GROUP BY subject ORDER BY subject
     ON CONFLICT (subject) DO UPDATE SET highest = excluded.highest WHERE known.highest < excluded.highest`,
    [entries.map(({ event }) => event.subject), entries.map(({ event }) => event.sequence)],
  );
}
