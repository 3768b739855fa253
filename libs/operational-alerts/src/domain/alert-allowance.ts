import type { AlertReason, AlertTopic } from '@ssb/events';

/** Alerts of raised faults that all processes of one app send in an hour, summaries included. The first of each reason and interface is sent in any case. */
export const MAX_ALERTS_PER_HOUR = 60;

/** Of one reason and interface, so that one frequent fault does not use up the limit of all. */
export const MAX_ALERTS_PER_REASON = 20;

const HOUR_MS = 3_600_000;

type CountKey = AlertReason | `${AlertReason}/${string}`;

/** The saved count of alerts in the current hour. */
export interface AlertAllowance {
  /** When the first alert of the hour was sent. */
  readonly startedAt: Date;
  /** By reason, or `<reason>/<interface>`. */
  readonly sent: Readonly<Record<string, number>>;
  /** When the first alert of the hour was held back. */
  readonly heldSince?: Date;
}

/** The allowance at `now`. A new hour begins with the first alert after the end of the previous one. */
export function renewAllowance(saved: AlertAllowance | undefined, now: Date): AlertAllowance {
  return saved === undefined || isHourOver(saved, now) ? { startedAt: now, sent: {} } : saved;
}

/** What the alerts of an hour are counted by. */
export type CountedTopic = Pick<AlertTopic, 'reason' | 'interface'>;

/** Counts an alert; undefined when it must wait. The first of each reason and interface never waits. */
export function takeAllowance(allowance: AlertAllowance, topic: CountedTopic): AlertAllowance | undefined {
  const key: CountKey = topic.interface === undefined ? topic.reason : `${topic.reason}/${topic.interface}`;
  const ofKey = allowance.sent[key] ?? 0;
  const total = Object.values(allowance.sent).reduce((sum, count) => sum + count, 0);
  const mustWait = total >= MAX_ALERTS_PER_HOUR || ofKey >= MAX_ALERTS_PER_REASON;
  if (mustWait && ofKey > 0) return undefined;
  return { ...allowance, sent: { ...allowance.sent, [key]: ofKey + 1 } };
}

export function isHourOver({ startedAt }: AlertAllowance, now: Date): boolean {
  // A clock that was set back far must not extend the hour.
  return Math.abs(now.getTime() - startedAt.getTime()) >= HOUR_MS;
}
