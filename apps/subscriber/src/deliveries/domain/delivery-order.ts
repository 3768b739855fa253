/*
 * Urgent deliveries never wait for others. A sink has a number of places for attempts. Of these, replayed ones leave three free, notices two and
 * other alerts one, so an urgent delivery finds a place although receivers are slow. With a concurrency of 1 or 2 they share what there is.
 */

/**
 * 0: urgent (`isUrgent`: margin.breached and credit-support.short), 1: alert, 2: notice, 3: replayed. A subject has the priority of its most urgent
 * pending delivery. The precedence of an event, which orders queue and reader, plays no part here.
 */
export type DeliveryPriority = 0 | 1 | 2 | 3;

export const NOTICE: DeliveryPriority = 2;
export const LOWEST: DeliveryPriority = 3;
const PRIORITIES: readonly DeliveryPriority[] = [0, 1, NOTICE, LOWEST];

/** The number of attempts in progress up to which a delivery of this priority may begin. */
export function maxRunning(priority: DeliveryPriority, concurrency: number): number {
  return Math.max(1, concurrency - priority);
}

/**
 * The lowest priority whose subjects may be claimed; undefined when enough are claimed.
 * @param waiting priorities of claimed subjects that wait for a place
 */
export function lowestClaimable(
  running: number,
  waiting: readonly DeliveryPriority[],
  concurrency: number,
): DeliveryPriority | undefined {
  return PRIORITIES.findLast(
    (priority) =>
      running < maxRunning(priority, concurrency) && !waiting.some((claimed) => claimed <= priority),
  );
}

/** Deliveries of one subject that are read at once; they may be large. */
const MAX_PER_SUBJECT = 16;
/** The same for a slow sink, which claims no subject ahead. */
const MAX_PER_SUBJECT_SLOW = 2;

export interface ClaimSize {
  readonly subjects: number;
  readonly perSubject: number;
}

/**
 * How much is claimed at once. Subjects are claimed ahead unless the sink is slow: claimed deliveries would delay urgent ones of the same
 * subject.
 */
export function claimSize(
  lowest: DeliveryPriority,
  running: number,
  concurrency: number,
  isSlow: boolean,
): ClaimSize {
  return isSlow
    ? { subjects: maxRunning(lowest, concurrency) - running, perSubject: MAX_PER_SUBJECT_SLOW }
    : { subjects: concurrency * 2, perSubject: MAX_PER_SUBJECT };
}
