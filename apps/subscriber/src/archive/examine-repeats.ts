import type { SqlSession } from '@ssb/postgres';
import { reject } from '../receiver/domain/rejection.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { RejectedEntry, VerifiedEntry } from './archive-entries.js';
import { findDoubtfulRepeats } from './known-events.js';

/** Verified entries whose id is in the inbox, and that are not repeats. */
export interface ExaminedRepeats {
  /** Ids with neither an archived event nor a recorded deletion. */
  readonly unarchived: readonly VerifiedEntry[];
  /** Those whose id an event of the archive has that fails verification, as rejected ones. */
  readonly taken: ReadonlyMap<VerifiedEntry, RejectedEntry>;
}

/** The run role can insert ids into the inbox, and forged events into the archive. Neither makes a verified event a repeat. */
export async function examineRepeats(
  session: SqlSession,
  repeats: readonly VerifiedEntry[],
  verifyStored: (stored: StoredEvent) => StoredVerdict,
): Promise<ExaminedRepeats> {
  const unarchived: VerifiedEntry[] = [];
  const taken = new Map<VerifiedEntry, RejectedEntry>();
  for (const { entry, stored } of await findDoubtfulRepeats(session, repeats)) {
    const verdict = stored && verifyStored(stored);
    if (verdict === undefined) unarchived.push(entry);
    else if (!verdict.ok) taken.set(entry, toTaken(entry, verdict.detail));
  }
  return { unarchived, taken };
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
