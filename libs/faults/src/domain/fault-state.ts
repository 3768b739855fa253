import { ALERT_REASONS, type AlertReport, type AlertTopic } from '@ssb/events';
import type { Confirmations } from './confirmations.js';

/*
 * A fault begins with its first occurrence, which is reported at once. Further occurrences are counted and reported together, at most once
 * in SUMMARY_INTERVAL_MS. A fault whose reason clears ends when its cause ends. Any other ends when a summary interval passes without an
 * occurrence, so the next occurrence is a first one again. A fault with an unreported occurrence has not ended.
 */

/** Time between two reports of one fault. */
export const SUMMARY_INTERVAL_MS = 300_000;

/** The saved state of one fault. */
export interface FaultState {
  readonly topic: AlertTopic;
  readonly since: Date;
  readonly count: number;
  /** About the latest occurrence. */
  readonly detail?: string;
  /** Part of `count` that was reported. */
  readonly reportedCount: number;
  readonly reportedAt?: Date;
  /** Sequence of the last report; epoch milliseconds. */
  readonly sequence: number;
  /** When the cause of a fault that clears ended. */
  readonly endedAt?: Date;
  /** When each process last confirmed that a fault that clears still lasts. */
  readonly confirmedAt?: Confirmations;
}

/** How long an ended fault is kept, so that the sequence of its next report is greater. */
const ENDED_LIFETIME_MS = 24 * 3_600_000;
/** There are many documents, and a document seldom has a fault twice. */
const ENDED_DOCUMENT_LIFETIME_MS = 3_600_000;

/**
 * Counts occurrences. Begins a new fault when there is none, or the previous one has ended.
 * @param occurrences 0 when a fault lasts; it then counts as one only if a new fault begins
 */
export function addOccurrence(
  previous: FaultState | undefined,
  topic: AlertTopic,
  now: Date,
  detail?: string,
  occurrences = 1,
): FaultState {
  if (previous === undefined || hasEnded(previous, now)) {
    const sequence = previous?.sequence ?? 0;
    return { topic, since: now, count: Math.max(occurrences, 1), detail, reportedCount: 0, sequence };
  }
  return {
    ...previous,
    count: previous.count + occurrences,
    detail: detail ?? previous.detail,
    endedAt: undefined,
  };
}

/** The report that is due now; undefined when none is. */
export function decideReport(state: FaultState, now: Date): AlertReport | undefined {
  const { topic, since, count, detail, reportedCount, reportedAt } = state;
  if (count <= reportedCount) return undefined;
  if (reportedAt !== undefined && now.getTime() < reportedAt.getTime() + SUMMARY_INTERVAL_MS)
    return undefined;
  return { ...topic, since, count, detail, sequence: nextSequence(state, now) };
}

/** The state after its report was stored. */
export function recordReport(state: FaultState, report: AlertReport, now: Date): FaultState {
  return { ...state, reportedCount: report.count, reportedAt: now, sequence: report.sequence };
}

/** The report of the end of a fault; undefined when its beginning was never reported. */
export function clearFault(state: FaultState, now: Date): AlertReport | undefined {
  const { topic, since, count, reportedAt } = state;
  if (reportedAt === undefined) return undefined;
  return { ...topic, since, count, sequence: nextSequence(state, now) };
}

/** Whether the state of an ended fault is no longer needed. */
export function isExpired(state: FaultState, now: Date): boolean {
  const { topic, endedAt, reportedAt } = state;
  const last = endedAt ?? reportedAt;
  const lifetimeMs = topic.document === undefined ? ENDED_LIFETIME_MS : ENDED_DOCUMENT_LIFETIME_MS;
  return hasEnded(state, now) && last !== undefined && now.getTime() >= last.getTime() + lifetimeMs;
}

/** Whether an occurrence at this time would be a new fault. */
function hasEnded({ topic, count, reportedCount, reportedAt, endedAt }: FaultState, now: Date): boolean {
  if (count > reportedCount || reportedAt === undefined) return false;
  if (ALERT_REASONS[topic.reason].clears) return endedAt !== undefined;
  return now.getTime() >= reportedAt.getTime() + SUMMARY_INTERVAL_MS;
}

/** Grows even when the clock is set back. */
function nextSequence({ sequence }: FaultState, now: Date): number {
  return Math.max(now.getTime(), sequence + 1);
}
