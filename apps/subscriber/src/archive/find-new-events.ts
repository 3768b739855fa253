import type { SqlSession } from '@ssb/postgres';
import { reject } from '../receiver/domain/rejection.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { RejectedEntry, RepeatResult, VerifiedEntry } from './archive-entries.js';
import { findRestatedRepeats } from './document-versions.js';
import { findDoubtfulRepeats, insertInbox } from './known-events.js';
import { REPEATED_VERSION } from './record-results.js';

/** Verified entries by what the database knows of their events. Those in none of these lists are repeats of events. */
export interface NewEvents {
  /** To archive. */
  readonly newEntries: readonly VerifiedEntry[];
  /** Restated versions that the archive holds. */
  readonly repeats: ReadonlyMap<VerifiedEntry, RepeatResult>;
  /** New entries whose ids were in the inbox, with neither an archived event nor a recorded deletion. */
  readonly unarchived: readonly VerifiedEntry[];
  /** Those whose id an event of the archive has that fails verification, as rejected ones. */
  readonly taken: ReadonlyMap<VerifiedEntry, RejectedEntry>;
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
  const taken = new Map<VerifiedEntry, RejectedEntry>();
  for (const { entry, stored } of await findDoubtfulRepeats(session, known)) {
    const verdict = stored && verifyStored(stored);
    if (verdict === undefined) unarchived.push(entry);
    else if (!verdict.ok) taken.set(entry, toTaken(entry, verdict.detail));
  }
  return {
    newEntries: candidates.filter((entry) => newIds.has(entry.event.id) || unarchived.includes(entry)),
    repeats: new Map([...restated].map((entry) => [entry, REPEATED_VERSION])),
    unarchived,
    taken,
  };
}

function toTaken({ message, event }: VerifiedEntry, detail: string): RejectedEntry {
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
