import { isBridgeAlert, announcesState } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import {
  DELIVERIES_CHANNEL,
  insertDeliveries,
  type DecidedEntry,
} from '../deliveries/outbox/insert-deliveries.js';
import { withdrawSuperseded } from '../deliveries/outbox/withdraw-superseded.js';
import { joinMarks } from '../domain/marks.js';
import { recordHeartbeats } from '../heartbeats/heartbeat-table.js';
import type { StoredEvent, StoredVerdict } from '../receiver/domain/verify-stored-event.js';
import type { ArchivedResult, RepeatResult, VerifiedEntry } from './archive-entries.js';
import { findRestatedRepeats } from './document-versions.js';
import { backlogBefore, decideTiming, findNewest, isPastOfBackfill } from './domain/backlog.js';
import { factTime, isLate } from './domain/fact-time.js';
import { examineRepeats, type ExaminedRepeats } from './examine-repeats.js';
import { insertArchive } from './insert-archive.js';
import { insertInbox, raiseHighestSequences, readHighestSequences } from './known-events.js';
import { recordParticipants, type AlertsSince } from './participants.js';
import { REPEATED_VERSION, toSequenced } from './record-results.js';

export interface ArchiveEventsOptions {
  /** Verifies an archived event whose text differs from that of its repeat. */
  readonly verifyStored: (stored: StoredEvent) => StoredVerdict;
  /** Participants of CONFIG_FILE. */
  readonly participants: () => readonly string[];
  /** From CONFIG_FILE; it takes precedence over the stored times. */
  readonly alertsSince: () => AlertsSince;
  /** A fact that was published longer ago is marked `late`. */
  readonly lateAfterMs: number;
  /** How long the delivery of a present state waits for a newer event of its subject. */
  readonly holdMs: number;
}

/** What became of verified entries. */
export interface ArchivedBatch extends ExaminedRepeats {
  readonly results: ReadonlyMap<VerifiedEntry, ArchivedResult | RepeatResult>;
}

/**
 * Stores the entries whose event is not in the inbox, or is in the inbox but not in the archive. Leaves out restated versions that the archive
 * holds.
 * @param quarantinedAt of entries that are released from the quarantine
 * @returns no result for an entry whose event is in inbox and archive
 */
export async function archiveEvents(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
  options: ArchiveEventsOptions,
  quarantinedAt: ReadonlyMap<VerifiedEntry, Date> = new Map(),
): Promise<ArchivedBatch> {
  const restated = await findRestatedRepeats(session, entries);
  const repeats = [...restated].map((entry) => [entry, REPEATED_VERSION] as const);
  const candidates = entries.filter((entry) => !restated.has(entry));
  const newIds = await insertInbox(session, candidates, now);
  const { unarchived, taken } = await examineRepeats(
    session,
    candidates.filter(({ event }) => !newIds.has(event.id)),
    options.verifyStored,
  );
  const newEntries = candidates.filter((entry) => newIds.has(entry.event.id) || unarchived.includes(entry));
  if (newEntries.length === 0) return { results: new Map(repeats), unarchived, taken };
  const states = newEntries.filter(({ event }) => announcesState(event.type));
  const highest = await readHighestSequences(session, states);
  const newest = new Set(findNewest(states.map(toSequenced), highest).values());
  const newestEntries = new Set([...newest].map(({ entry }) => entry));
  const decided = await decide(session, newEntries, newestEntries, quarantinedAt, now, options);
  await insertArchive(session, decided, now);
  await recordHeartbeats(session, newEntries, now);
  await raiseHighestSequences(session, newEntries);
  await insertDeliveries(session, decided, options.holdMs);
  await withdrawSuperseded(
    session,
    decided.filter(({ entry }) => newestEntries.has(entry)),
    options.holdMs,
  );
  await session.notify(DELIVERIES_CHANNEL, '');
  const archived = decided.map(
    ({ entry, marks, timing }) => [entry, { kind: 'archived', marks, timing }] as const,
  );
  const results = new Map<VerifiedEntry, ArchivedResult | RepeatResult>([...archived, ...repeats]);
  return { results, unarchived, taken };
}

async function decide(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  newest: ReadonlySet<VerifiedEntry>,
  quarantinedAt: ReadonlyMap<VerifiedEntry, Date>,
  now: Date,
  { lateAfterMs, participants, alertsSince }: ArchiveEventsOptions,
): Promise<DecidedEntry[]> {
  const [configured, configuredSince] = [participants(), alertsSince()];
  const seen = entries.flatMap(({ event }) => (isBridgeAlert(event.type) ? [] : [event.participant]));
  const stored = await recordParticipants(session, seen);
  return entries.map((entry) => {
    const { event, announcesProblem } = entry;
    const { participant } = event;
    const since = backlogBefore(
      {
        configured: configuredSince.get(participant),
        stored: stored.get(participant),
        isConfigured: configured.includes(participant),
        quarantinedAt: quarantinedAt.get(entry),
      },
      lateAfterMs,
    );
    const time = factTime(event);
    const isNewest = newest.has(entry);
    const { publishedBy } = time;
    const isPast = isPastOfBackfill(event.backfilled === true, publishedBy, now);
    return {
      entry,
      marks: joinMarks(entry.marks, isLate(time, now, lateAfterMs) ? ['late'] : []),
      timing: decideTiming({ type: event.type, publishedBy, announcesProblem, isNewest, isPast }, since),
    };
  });
}
