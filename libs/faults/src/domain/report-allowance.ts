import type { AlertReason, AlertTopic, MarketInterface } from '@ssb/events';

/** Raised alerts that all processes of one app send in an hour, summaries included. The first of each reason and interface is always sent. */
export const MAX_ALERTS_PER_HOUR = 60;

/** For one reason and interface, so that a frequent fault does not use up the limit of all. */
export const MAX_ALERTS_PER_REASON = 20;

const HOUR_MS = 3_600_000;

/** These reasons may hide a breach in a calculation. The first alert of each participant is always sent, and is not counted. */
const CALCULATION_REASONS: ReadonlySet<AlertReason> = new Set<AlertReason>([
  'calculation-in-future',
  'operator-response-unusable',
]);
const CALCULATION_INTERFACE: MarketInterface = 'prudential';

type CountKey = AlertReason | `${AlertReason}/${string}`;

/** Marks that the first alert about a calculation of a participant was sent. */
const FIRST_MARK = 'first/';
type MarkKey = `${typeof FIRST_MARK}${AlertReason}/${string}`;

/** Reports that alerts wait. It is not counted in the limits. */
const HELD_BACK: AlertReason = 'alerts-held-back';

/** After the first alert that waits, its number and that of the others is reported: soon, because they often come together, then in this interval. */
const FIRST_HELD_REPORT_MS = 60_000;
const HELD_REPORT_INTERVAL_MS = 900_000;

/** The saved count of alerts in the current hour. */
export interface ReportAllowance {
  /** When the first alert of the hour was sent. */
  readonly startedAt: Date;
  /** By reason or `<reason>/<interface>`, and the marks `first/<reason>/<participant>`. */
  readonly sent: Readonly<Record<string, number>>;
  /** When the first alert of the hour was held back. */
  readonly heldSince?: Date;
}

/** The allowance at `now`. A new hour begins with the first alert after the end of the previous one. */
export function renewAllowance(saved: ReportAllowance | undefined, now: Date): ReportAllowance {
  return saved === undefined || isHourOver(saved, now) ? { startedAt: now, sent: {} } : saved;
}

/** What the alerts of an hour are counted by. */
export type CountedTopic = Pick<AlertTopic, 'reason' | 'interface' | 'document'> &
  Partial<Pick<AlertTopic, 'participant'>>;

/** Counts or marks an alert; undefined when it must wait. The first of each key and mark never waits. */
export function takeAllowance(allowance: ReportAllowance, topic: CountedTopic): ReportAllowance | undefined {
  const mark = markOf(topic);
  if (mark !== undefined && allowance.sent[mark] === undefined)
    return { ...allowance, sent: { ...allowance.sent, [mark]: 1 } };
  const key = keyOf(topic);
  const ofKey = allowance.sent[key] ?? 0;
  const counted = Object.entries(allowance.sent).filter(
    ([name]) => name !== HELD_BACK && !name.startsWith(FIRST_MARK),
  );
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  const mustWait = total >= MAX_ALERTS_PER_HOUR || ofKey >= MAX_ALERTS_PER_REASON;
  if (mustWait && ofKey > 0) return undefined;
  return { ...allowance, sent: { ...allowance.sent, [key]: ofKey + 1 } };
}

function keyOf({ reason, interface: name }: CountedTopic): CountKey {
  return name === undefined ? reason : `${reason}/${name}`;
}

/** Undefined for any topic but a calculation. */
function markOf({ reason, interface: name, document, participant }: CountedTopic): MarkKey | undefined {
  if (document === undefined || name !== CALCULATION_INTERFACE) return undefined;
  return CALCULATION_REASONS.has(reason) ? `${FIRST_MARK}${reason}/${participant ?? ''}` : undefined;
}

/** Records a report that alerts wait. */
export function countHeldReport(allowance: ReportAllowance, now: Date): ReportAllowance {
  const reports = allowance.sent[HELD_BACK] ?? 0;
  const sent = { ...allowance.sent, [HELD_BACK]: reports + 1 };
  return { ...allowance, sent, heldSince: allowance.heldSince ?? now };
}

/** Whether the number of alerts that wait is reported now. */
export function isHeldReportDue(
  allowance: ReportAllowance | undefined,
  now: Date,
): allowance is ReportAllowance & { readonly heldSince: Date } {
  if (allowance?.heldSince === undefined || isHourOver(allowance, now)) return false;
  const { [HELD_BACK]: reports = 1 } = allowance.sent;
  const delayMs = reports <= 1 ? FIRST_HELD_REPORT_MS : (reports - 1) * HELD_REPORT_INTERVAL_MS;
  return now.getTime() - allowance.heldSince.getTime() >= delayMs;
}

export function isHourOver({ startedAt }: ReportAllowance, now: Date): boolean {
  // A clock that was set back far must not extend the hour.
  return Math.abs(now.getTime() - startedAt.getTime()) >= HOUR_MS;
}
