import type { AlertReason } from '@ssb/events';

/** Alerts of raised faults that all processes of one app send in an hour, summaries included. The first of each reason is sent in any case. */
export const MAX_ALERTS_PER_HOUR = 60;

/** Of one reason, so that one frequent fault does not use up the limit of all. */
export const MAX_ALERTS_PER_REASON = 20;

const HOUR_MS = 3_600_000;

/** The saved count of alerts in the current hour. */
export interface AlertAllowance {
  /** When the first alert of the hour was sent. */
  readonly startedAt: Date;
  readonly sent: Readonly<Partial<Record<AlertReason, number>>>;
  /** When the first alert of the hour was held back. */
  readonly heldSince?: Date;
}

/** The allowance at `now`. A new hour begins with the first alert after the end of the previous one. */
export function renewAllowance(saved: AlertAllowance | undefined, now: Date): AlertAllowance {
  return saved === undefined || isHourOver(saved, now) ? { startedAt: now, sent: {} } : saved;
}

/** Counts an alert; undefined when it must wait. The first of each reason never waits. */
export function takeAllowance(allowance: AlertAllowance, reason: AlertReason): AlertAllowance | undefined {
  const ofReason = allowance.sent[reason] ?? 0;
  const total = Object.values(allowance.sent).reduce((sum, count) => sum + count, 0);
  const mustWait = total >= MAX_ALERTS_PER_HOUR || ofReason >= MAX_ALERTS_PER_REASON;
  if (mustWait && ofReason > 0) return undefined;
  return { ...allowance, sent: { ...allowance.sent, [reason]: ofReason + 1 } };
}

export function isHourOver({ startedAt }: AlertAllowance, now: Date): boolean {
  // A clock that was set back far must not extend the hour.
  return Math.abs(now.getTime() - startedAt.getTime()) >= HOUR_MS;
}
