import { measureNameOf } from '@ssb/events/problems';
import type { ProblemChange, ProblemDetail, SilenceRow } from '../../api/operations.js';
import { toMessages, type SinkOutcome } from './problem-messages.js';

export type HistoryTone = 'good' | 'info' | 'warning' | 'critical' | 'muted';

/** One thing that happened to a problem. */
export interface HistoryEntry {
  readonly key: string;
  readonly at: string;
  readonly title: string;
  readonly tone: HistoryTone;
  readonly comment?: string | undefined;
  /** The decisive figure then, a decimal text. */
  readonly measure?: string | undefined;
  readonly eventId?: string | undefined;
  /** Who was notified by a message. */
  readonly sinks?: readonly SinkOutcome[];
}

/** Entries that differ only in their time and figures are folded between the first and the last one. */
export interface HistoryGroup {
  readonly entries: readonly HistoryEntry[];
  /** Those in between. */
  readonly folded: readonly HistoryEntry[];
}

/** What happened to a problem, oldest first. @param now epoch milliseconds */
export function toHistory(problem: ProblemDetail, now: number): readonly HistoryEntry[] {
  const eventIds = new Set(problem.changes.flatMap(({ eventId = [] }) => eventId));
  return [
    ...describeChanges(problem),
    ...toMessages(problem.deliveries, eventIds),
    ...problem.silences.flatMap((silence) => describeSilence(silence, now)),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function describeChanges({ kind, changes }: ProblemDetail): readonly HistoryEntry[] {
  const measure = measureNameOf(kind);
  let isAcknowledged = false;
  return changes.map((change, index) => {
    const isReopened = isAcknowledged && isHigher(change, changes[index - 1]);
    isAcknowledged = change.kind === 'acknowledged' || (isAcknowledged && !isReopened);
    const { number, at, eventId, comment, figures } = change;
    const value = measure === undefined ? undefined : figures?.[measure];
    return {
      key: `change ${number}`,
      at,
      title: titleOf(change, isReopened),
      tone: toneOf(change),
      comment,
      measure: typeof value === 'string' ? value : undefined,
      eventId,
    };
  });
}

const SEVERITIES = ['info', 'warning', 'critical'];
const LEVELS = [undefined, 'WARNING', 'BREACHED'];

/** A higher severity or level opens an acknowledged problem again. */
function isHigher(change: ProblemChange, before: ProblemChange | undefined): boolean {
  if (before === undefined || change.kind !== 'worsened') return false;
  return (
    SEVERITIES.indexOf(change.severity) > SEVERITIES.indexOf(before.severity) ||
    LEVELS.indexOf(change.level) > LEVELS.indexOf(before.level)
  );
}

function titleOf({ kind, level, severity, author = 'a person' }: ProblemChange, isReopened: boolean): string {
  const degree = level ?? severity;
  switch (kind) {
    case 'opened':
      return `Opened, ${degree}`;
    case 'worsened':
      return isReopened ? `Worse and open again, ${degree}` : `Worse, ${degree}`;
    case 'lowered':
      return `Lowered to ${degree}`;
    case 'updated':
      return `Updated, ${degree}`;
    case 'acknowledged':
      return `Acknowledged by ${author}`;
    case 'resolved':
      return 'Resolved by an event';
    case 'closed':
      return `Closed by ${author}`;
    default:
      return kind;
  }
}

function toneOf({ kind, severity }: ProblemChange): HistoryTone {
  switch (kind) {
    case 'resolved':
      return 'good';
    case 'closed':
      return 'muted';
    case 'acknowledged':
      return 'info';
    default:
      return severity;
  }
}

function describeSilence(silence: SilenceRow, now: number): readonly HistoryEntry[] {
  const { id, startsAt, endsAt, author, comment, endedBy, endComment } = silence;
  const entries: HistoryEntry[] = [
    {
      key: `silence ${id}`,
      at: startsAt,
      title: `Silenced by ${author}`,
      tone: 'muted',
      comment,
    },
    {
      key: `silence end ${id}`,
      at: endsAt,
      title: endedBy === undefined ? 'The silence ended' : `${endedBy} ended the silence`,
      tone: 'muted',
      comment: endComment,
    },
  ];
  return entries.filter(({ at }) => Date.parse(at) <= now);
}

/** Shorter runs are shown whole. */
const MIN_FOLDED = 3;

/** Folds long runs of entries with the same title. */
export function foldRepeats(entries: readonly HistoryEntry[]): readonly HistoryGroup[] {
  const runs: HistoryEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run?.[0]?.title === entry.title) run.push(entry);
    else runs.push([entry]);
  }
  return runs.map((run) =>
    run.length < MIN_FOLDED + 2
      ? { entries: run, folded: [] }
      : { entries: [...run.slice(0, 1), ...run.slice(-1)], folded: run.slice(1, -1) },
  );
}
