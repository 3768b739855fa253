import { isBridgeAlert, type SignedEvent } from '@ssb/events';

/*
 * Backlog is decided by the fact's own time, never by missing state. A fact published before the participant's alertsSince is archived
 * without an alert. A present problem is the exception, such as a margin below a threshold: it alerts if it is the newest event of its
 * subject. A backlog arrives in order and in many batches, so such an alert is held until no newer event has followed for a while. A
 * backfilled event that is older than the days which a poller reads at its start states no present problem: its range may end before its
 * recovery.
 */

/** `held`: delivered after a pause, unless a newer event of the subject withdraws it. `none`: archived without an alert. */
export type Delivery = 'now' | 'held' | 'none';

export interface BacklogFact {
  readonly type: SignedEvent['type'];
  /** Epoch milliseconds; NaN when unknown, which is never backlog. */
  readonly publishedBy: number;
  /** The event states a problem that lasts until a later event of its subject. */
  readonly statesProblem: boolean;
  /** No archived event of the subject has a higher sequence. */
  readonly isNewest: boolean;
  /** Raised by a backfill, about a day that no poller reads any more. */
  readonly isPast: boolean;
}

/** By default a poller without saved state reads the calculations of so many days (PRUDENTIAL_RECOVERY_DAYS), and states what is present in them. */
const PRESENT_DAYS = 14;

/** Whether a backfilled event is about a day that no poller reads any more. @param publishedBy epoch milliseconds */
export function isPastOfBackfill(isBackfilled: boolean, publishedBy: number, now: Date): boolean {
  return isBackfilled && publishedBy < now.getTime() - PRESENT_DAYS * 86_400_000;
}

/** What decides the time before which the facts of a participant are backlog. */
export interface SinceSources {
  /** `alertsSince` of CONFIG_FILE; it takes precedence. */
  readonly configured: Date | undefined;
  /** When the participant was first seen. */
  readonly stored: Date | undefined;
  /** CONFIG_FILE names the participant, so it was not first seen because one of its facts arrived. */
  readonly isConfigured: boolean;
  /** When a message that is released now was quarantined. */
  readonly quarantinedAt?: Date | undefined;
}

/**
 * The time before which facts of a participant are backlog, epoch milliseconds. A fact is no backlog because the participant was not known
 * before it arrived or was quarantined: one published at most `lateAfterMs` before that is news.
 */
export function backlogBefore(sources: SinceSources, lateAfterMs: number): number {
  const { configured, stored, isConfigured, quarantinedAt } = sources;
  if (configured !== undefined) return configured.getTime();
  if (stored === undefined) return Number.NEGATIVE_INFINITY;
  const since = stored.getTime() - (isConfigured ? 0 : lateAfterMs);
  return quarantinedAt === undefined ? since : Math.min(since, quarantinedAt.getTime() - lateAfterMs);
}

/** @param alertsSince of the participant, epoch milliseconds */
export function decideDelivery(fact: BacklogFact, alertsSince: number): Delivery {
  // Alerts about the bridge itself have no backlog.
  if (isBridgeAlert(fact.type) || !(fact.publishedBy < alertsSince)) return 'now';
  return fact.statesProblem && fact.isNewest && !fact.isPast ? 'held' : 'none';
}

export interface SequencedEvent {
  readonly subject: string;
  /** Sorts as text. */
  readonly sequence: string;
}

/**
 * The newest event of each subject of a batch. Of equal sequences the last one counts.
 * @param highest the highest archived sequence by subject; a subject whose events are all lower has no newest one
 */
export function findNewest<E extends SequencedEvent>(
  events: readonly E[],
  highest: ReadonlyMap<string, string>,
): ReadonlyMap<string, E> {
  const newest = new Map<string, E>();
  for (const event of events) {
    const { subject, sequence } = event;
    if (sequence >= (newest.get(subject)?.sequence ?? highest.get(subject) ?? '')) newest.set(subject, event);
  }
  return newest;
}
