import { announcesState, type ProblemSignal } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import type { AlertPolicy } from '../archive/alert-policy.js';
import { boundedText, type TimedEntry, type VerifiedEntry } from '../archive/archive-entries.js';
import type { ProblemEffect } from '../domain/delivery-kind.js';
import { LOCAL } from '../domain/marks.js';
import type { ArchivedSignal } from './domain/decide-transition.js';
import type { ArchiveOffset } from './domain/problem.js';
import { ProblemBatch } from './domain/problem-batch.js';
import { StaleEvents } from './domain/stale-events.js';
import { findHandledKeys, lockOpenProblems, saveProblems } from './problem-table.js';

export interface ApplyOptions {
  /** Archive offset of each event with a signal. */
  readonly offsets: ReadonlyMap<string, ArchiveOffset>;
  /** The highest sequence of each subject before the batch. */
  readonly highest: ReadonlyMap<string, string>;
  readonly policy: Pick<AlertPolicy, 'severityOf'>;
  readonly now: Date;
}

export interface AppliedEvents {
  /** What each event did; an event that changed no problem is missing. */
  readonly effects: ReadonlyMap<VerifiedEntry, ProblemEffect>;
  /** Events about a problem that a person has closed, and that stays closed. They alert nobody. */
  readonly handled: ReadonlySet<VerifiedEntry>;
}

/**
 * Applies new events to the problems, in the order of the batch. Events without a signal cost no statement.
 * @param entries in the order of the archive, in which they are stored
 * @returns what the events did to the problems
 */
export async function applyEvents(
  session: SqlSession,
  entries: readonly TimedEntry[],
  { offsets, highest, policy, now }: ApplyOptions,
): Promise<AppliedEvents> {
  const stale = new StaleEvents(highest);
  const signals = entries.flatMap(({ entry, timing }): [VerifiedEntry, ArchivedSignal][] => {
    const { event, problem, origin } = entry;
    const archiveOffset = offsets.get(event.id);
    if (problem === undefined || archiveOffset === undefined) return [];
    return [
      [
        entry,
        {
          signal: toStorable(problem),
          severity: policy.severityOf(problem),
          eventId: event.id,
          participant: event.participant,
          time: event.time,
          archivedAt: now,
          archiveOffset,
          isBacklog: timing === 'none',
          isStale: isSequenced(event.type, origin) && stale.check(event),
        },
      ],
    ];
  });
  const effects = new Map<VerifiedEntry, ProblemEffect>();
  const handled = new Set<VerifiedEntry>();
  await applySignals(
    session,
    signals.map(([, signal]) => signal),
    (batch) => {
      for (const [entry, signal] of signals) {
        if (batch.isHandled(signal)) handled.add(entry);
        const effect = batch.apply(signal);
        if (effect !== undefined) effects.set(entry, effect);
      }
    },
  );
  return { effects, handled };
}

/** Reads the open problems of the signals, has them changed, and stores the result. */
export async function applySignals(
  session: SqlSession,
  signals: readonly ArchivedSignal[],
  apply: (batch: ProblemBatch) => void,
): Promise<void> {
  if (signals.length === 0) return;
  const keys = signals.map(({ signal }) => signal);
  const open = await lockOpenProblems(session, keys);
  const batch = new ProblemBatch(open, await findHandledKeys(session, keys));
  apply(batch);
  await saveProblems(session, batch);
}

/**
 * Whether the sequence decides between events of a subject. The subscriber stores its own events in the order of their sequence, under a lock.
 * @param origin of the event
 */
export function isSequenced(type: Parameters<typeof announcesState>[0], origin: string): boolean {
  return origin !== LOCAL && announcesState(type);
}

/** Key and figures come from a message. */
export function toStorable(signal: ProblemSignal): ProblemSignal {
  const figures = Object.entries(signal.figures).map(([name, text]) => [name, boundedText(text)] as const);
  return { ...signal, key: toUtf8(signal.key), figures: Object.fromEntries(figures) };
}

/** Replaces what UTF-8 cannot encode, as for the subject in the archive. */
function toUtf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
