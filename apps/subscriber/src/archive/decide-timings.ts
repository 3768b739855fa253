import { announcesState, isBridgeAlert } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import { joinMarks } from '../domain/marks.js';
import type { TimedEntry, VerifiedEntry } from './archive-entries.js';
import { backlogBefore, decideTiming, findNewest, isPastOfBackfill } from './domain/backlog.js';
import { factTime, isLate } from './domain/fact-time.js';
import { readHighestSequences } from './find-new-events.js';
import { recordParticipants, type AlertsSince } from './participants.js';

export interface DecisionOptions {
  /** Entries that announce the newest state of their subject. */
  readonly newest: ReadonlySet<VerifiedEntry>;
  /** When entries that are released now were quarantined. */
  readonly quarantinedAt: ReadonlyMap<VerifiedEntry, Date>;
  /** Participants of CONFIG_FILE. */
  readonly participants: () => readonly string[];
  /** From CONFIG_FILE; it takes precedence over the stored times. */
  readonly alertsSince: () => AlertsSince;
  /** A fact that was published longer ago is marked `late`. */
  readonly lateAfterMs: number;
}

export interface NewestStates {
  /** The entries that announce the newest state of their subject. */
  readonly newest: ReadonlySet<VerifiedEntry>;
  /** The highest archived sequence of the subjects of states. */
  readonly highest: ReadonlyMap<string, string>;
}

export async function findNewestStates(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
): Promise<NewestStates> {
  const states = entries
    .filter(({ event }) => announcesState(event.type))
    .map((entry) => ({ entry, subject: entry.event.subject, sequence: entry.event.sequence }));
  const highest = await readHighestSequences(
    session,
    states.map(({ entry }) => entry),
  );
  const newest = [...findNewest(states, highest).values()].map(({ entry }) => entry);
  return { newest: new Set(newest), highest };
}

/** Decides when new entries are delivered, and marks late ones. Records participants that were not seen before. */
export async function decideTimings(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
  { newest, quarantinedAt, lateAfterMs, participants, alertsSince }: DecisionOptions,
): Promise<TimedEntry[]> {
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
