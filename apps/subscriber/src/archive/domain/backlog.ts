import { isBridgeAlert, type SignedEvent } from '@ssb/events';

/*
 * The fact's own time decides whether it is backlog, never missing state. A fact published before the participant's alertsSince is archived
 * without a delivery. A present problem is the exception, such as a margin below a threshold: it is delivered if it is the newest event of
 * its subject. A backlog arrives in order and in many batches, so such a delivery is held until no newer event has followed for a while. A
 * backfilled event that is older than the days which a poller reads at its start announces no present problem: its range may end before
 * its recovery.
 */

/** `held`: delivered after a pause, unless a newer event of the subject withdraws it. `none`: archived without a delivery. */
export type DeliveryTiming = 'now' | 'held' | 'none';

export interface BacklogFact {
  readonly type: SignedEvent['type'];
  /** Epoch milliseconds; NaN when unknown, which is never backlog. */
  readonly publishedBy: number;
  /** The event announces a problem that lasts until a later event of its subject. */
  readonly announcesProblem: boolean;
  /** No archived event of the subject has a higher sequence. */
  readonly isNewest: boolean;
  /** Created by a backfill, about a day that no poller reads any more. */
  readonly isPast: boolean;
}

/** By default a poller without saved state reads the calculations of this many days (PRUDENTIAL_RECOVERY_DAYS) and announces present problems. */
const PRESENT_DAYS = 14;

/** Whether a backfilled event is about a day that no poller reads any more. @param publishedBy epoch milliseconds */
export function isPastOfBackfill(isBackfilled: boolean, publishedBy: number, now: Date): boolean {
  return isBackfilled && publishedBy < now.getTime() - PRESENT_DAYS * 86_400_000;
}

/** Decides the time before which the facts of a participant are backlog. */
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
 * The time before which facts of a participant are backlog, epoch milliseconds. A fact does not become backlog because the participant was
 * unknown until it arrived or was quarantined: a fact published at most `lateAfterMs` before that is news.
 */
export function backlogBefore(sources: SinceSources, lateAfterMs: number): number {
  const { configured, stored, isConfigured, quarantinedAt } = sources;
  if (configured !== undefined) return configured.getTime();
  if (stored === undefined) return Number.NEGATIVE_INFINITY;
  const since = stored.getTime() - (isConfigured ? 0 : lateAfterMs);
  return quarantinedAt === undefined ? since : Math.min(since, quarantinedAt.getTime() - lateAfterMs);
}

/** @param alertsSince of the participant, epoch milliseconds */
export function decideTiming(fact: BacklogFact, alertsSince: number): DeliveryTiming {
  // Faults of the bridge itself have no backlog.
  if (isBridgeAlert(fact.type) || !(fact.publishedBy < alertsSince)) return 'now';
  return fact.announcesProblem && fact.isNewest && !fact.isPast ? 'held' : 'none';
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
