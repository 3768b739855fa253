import type { Archive } from '../archive/archive.js';
import type { RecordResult, VerifiedEntry } from '../archive/archive-entries.js';
import { findReplays } from '../archive/find-new-events.js';
import {
  REPEATED_EVENT,
  toQuarantinedResult,
  toReplayed,
  withoutRepeats,
} from '../archive/record-results.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { unarchivedFaults } from './domain/quarantine-faults.js';
import { releaseQuarantined } from './insert-quarantine.js';

/** A quarantined message that a later evaluation accepted. */
export interface ReleasableEntry {
  readonly offset: bigint;
  readonly quarantinedAt: Date;
  readonly entry: VerifiedEntry;
}

/**
 * Archives messages of the quarantine and releases them, in one transaction. A repeat is only released; an event that may be a replay stays
 * in the quarantine.
 * @returns one result per entry, in the same order
 * @throws LeaseLostError
 */
export function releaseEntries(
  archive: Pick<Archive, 'transactions' | 'archiveEvents'>,
  releasable: readonly ReleasableEntry[],
  now: Date,
  reader: ReaderToken,
): Promise<RecordResult[]> {
  const entries = releasable.map(({ entry }) => entry);
  return archive.transactions.run(reader, now, async (session) => {
    const replays = await findReplays(session, entries);
    const candidates = releasable.filter(({ entry }) => !replays.has(entry));
    const archived = await archive.archiveEvents(
      session,
      withoutRepeats(candidates.map(({ entry }) => entry)),
      now,
      new Map(candidates.map(({ entry, quarantinedAt }) => [entry, quarantinedAt])),
    );
    const released = candidates.filter(({ entry }) => !archived.idConflicts.has(entry));
    await releaseQuarantined(
      session,
      released.map(({ offset }) => offset),
      now,
    );
    const results = entries.map((entry): RecordResult => {
      if (replays.has(entry)) return toQuarantinedResult(toReplayed(entry));
      const idConflict = archived.idConflicts.get(entry);
      return idConflict ? toQuarantinedResult(idConflict) : (archived.results.get(entry) ?? REPEATED_EVENT);
    });
    return { results, occurrences: unarchivedFaults(archived.unarchived) };
  });
}
