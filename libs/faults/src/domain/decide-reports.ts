import {
  ALERT_REASONS,
  ALL_PARTICIPANTS,
  alertSubject,
  FURTHER_DOCUMENTS,
  type AlertReport,
  type AlertTopic,
  type BridgeApp,
} from '@ssb/events';
import type { Occurrences } from '../fault-carrier.js';
import {
  countHeldReport,
  isHeldReportDue,
  isHourOver,
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  renewAllowance,
  takeAllowance,
  type ReportAllowance,
} from './report-allowance.js';
import { confirm, isConfirmed, withdraw } from './confirmations.js';
import { addOccurrence, clearFault, decideReport, recordReport, type FaultState } from './fault-state.js';

/** A report to send as an operational alert. */
export interface DueReport {
  readonly kind: 'raised' | 'cleared';
  readonly report: AlertReport;
}

/** The saved state of one fault, and the allowance of the app. */
export interface SavedFaults {
  readonly fault: FaultState | undefined;
  readonly allowance: ReportAllowance | undefined;
}

/** The state to save, and the alerts to send once it is saved. */
export interface FaultDecision extends SavedFaults {
  readonly alerts: readonly DueReport[];
}

/** Counts occurrences and decides whether an alert is due. The process thereby confirms a fault that clears. */
export function decideRaise(
  saved: SavedFaults,
  { topic, count, detail }: Occurrences,
  processId: string,
  now: Date,
): FaultDecision {
  const fault = addOccurrence(saved.fault, topic, now, detail, count);
  if (!ALERT_REASONS[topic.reason].clears) return decideDue({ ...saved, fault }, now);
  return decideDue(
    { ...saved, fault: { ...fault, confirmedAt: confirm(fault.confirmedAt, processId, now) } },
    now,
  );
}

/**
 * Ends a fault, unless another process still confirms it; the caller repeats the call. The end is reported after the beginning, which may
 * have been held back.
 */
export function decideClear(saved: SavedFaults, processId: string, now: Date): FaultDecision {
  if (!isLasting(saved.fault)) return { ...saved, alerts: [] };
  const withdrawn = decideWithdraw(saved, processId);
  if (isConfirmed(withdrawn.fault?.confirmedAt, now)) return withdrawn;
  const fault = { ...saved.fault, confirmedAt: undefined };
  const report = clearFault(fault, now);
  if (report === undefined) return { ...saved, fault: { ...fault, endedAt: now }, alerts: [] };
  const ended = { ...recordEnd(fault, report), endedAt: now };
  return { ...saved, fault: ended, alerts: [{ kind: 'cleared', report }] };
}

/** Another process may end the fault, because this one no longer checks for it. */
export function decideWithdraw(saved: SavedFaults, processId: string): FaultDecision {
  const { fault } = saved;
  const confirmedAt = withdraw(fault?.confirmedAt, processId);
  if (fault === undefined || confirmedAt === fault.confirmedAt) return { ...saved, alerts: [] };
  return { ...saved, fault: { ...fault, confirmedAt }, alerts: [] };
}

/** Decides whether the alert of a saved fault is due. */
export function decideDue({ fault, allowance }: SavedFaults, now: Date): FaultDecision {
  const report = fault && decideReport(fault, now);
  if (report === undefined) return { fault, allowance, alerts: [] };
  const { app } = report;
  const alerts = endHour(app, allowance, now);
  const current = renewAllowance(allowance, now);
  const rest = takeAllowance(current, report);
  if (rest === undefined) {
    if (current.heldSince !== undefined) return { fault, allowance: current, alerts };
    alerts.push(heldBackAlert('raised', app, now, now, [report]));
    return { fault, allowance: countHeldReport(current, now), alerts };
  }
  alerts.push({ kind: 'raised', report });
  const reported = recordReport(fault as FaultState, report, now);
  const end = reported.endedAt && clearFault(reported, now);
  if (end === undefined) return { fault: reported, allowance: rest, alerts };
  alerts.push({ kind: 'cleared', report: end });
  return { fault: recordEnd(reported, end), allowance: rest, alerts };
}

/** The topic of all further faults of a reason, when an app keeps too many. */
export function overflowTopic({ app, reason, document }: AlertTopic): AlertTopic {
  const topic = { app, reason, participant: ALL_PARTICIPANTS };
  return document === undefined ? topic : { ...topic, document: FURTHER_DOCUMENTS };
}

/** Ends the fault of further documents when no process confirms it: the reporters know only the faults that it stands for. */
export function decideOverflow(saved: SavedFaults, processId: string, now: Date): FaultDecision {
  const { fault } = saved;
  const isOverflow =
    fault?.topic.participant === ALL_PARTICIPANTS && fault.topic.document === FURTHER_DOCUMENTS;
  if (!isOverflow || isConfirmed(fault?.confirmedAt, now)) return { ...saved, alerts: [] };
  return decideClear(saved, processId, now);
}

/** Reports how many alerts wait, from time to time while they do. @param faults all that may wait */
export function decideHeld(
  app: BridgeApp,
  faults: Iterable<FaultState>,
  allowance: ReportAllowance | undefined,
  now: Date,
): FaultDecision {
  if (!isHeldReportDue(allowance, now)) return { fault: undefined, allowance, alerts: [] };
  const held = [...faults].flatMap((fault) => {
    const report = decideReport(fault, now);
    return report === undefined || takeAllowance(allowance, report) !== undefined ? [] : [report];
  });
  const alerts = held.length === 0 ? [] : [heldBackAlert('raised', app, allowance.heldSince, now, held)];
  return { fault: undefined, allowance: countHeldReport(allowance, now), alerts };
}

/** Reports that alerts are no longer held back, when the hour is over. */
export function decideEndOfHour(
  app: BridgeApp,
  allowance: ReportAllowance | undefined,
  now: Date,
): FaultDecision {
  const alerts = endHour(app, allowance, now);
  return { fault: undefined, allowance: alerts.length > 0 ? undefined : allowance, alerts };
}

function endHour(app: BridgeApp, allowance: ReportAllowance | undefined, now: Date): DueReport[] {
  const heldSince = allowance?.heldSince;
  if (allowance === undefined || heldSince === undefined || !isHourOver(allowance, now)) return [];
  return [heldBackAlert('cleared', app, heldSince, now)];
}

function isLasting(fault: FaultState | undefined): fault is FaultState {
  return fault !== undefined && fault.endedAt === undefined && ALERT_REASONS[fault.topic.reason].clears;
}

function recordEnd(fault: FaultState, { count, sequence }: AlertReport): FaultState {
  return { ...fault, reportedCount: count, sequence };
}

/** This alert is not counted itself. @param held the alerts that wait */
function heldBackAlert(
  kind: DueReport['kind'],
  app: BridgeApp,
  since: Date,
  now: Date,
  held: readonly AlertReport[] = [],
): DueReport {
  const limits = `An app sends at most ${MAX_ALERTS_PER_HOUR} alerts an hour, ${MAX_ALERTS_PER_REASON} of one reason and interface, beside first ones.`;
  const detail = [limits, ...describeHeld(held)].join(' ');
  const topic = { app, reason: 'alerts-held-back', participant: ALL_PARTICIPANTS } as const;
  const count = Math.max(1, held.length);
  return { kind, report: { ...topic, since, count, detail, sequence: now.getTime() } };
}

const MAX_DESCRIBED_REASONS = 5;

/** Their number by reason and interface, the most frequent first, and one of them. */
function describeHeld(held: readonly AlertReport[]): string[] {
  const [example] = held;
  if (example === undefined) return [];
  const groups = new Map<string, AlertReport[]>();
  for (const report of held) {
    const name = [report.reason, report.interface].filter(Boolean).join(' of ');
    groups.set(name, [...(groups.get(name) ?? []), report]);
  }
  const counts = [...groups]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, reports]) => {
      const participants = new Set(reports.map(({ participant }) => participant)).size;
      return `${reports.length} ${name} (${participants === 1 ? 'one participant' : `${participants} participants`})`;
    });
  const others = counts.length - MAX_DESCRIBED_REASONS;
  const listed = [
    ...counts.slice(0, MAX_DESCRIBED_REASONS),
    ...(others > 0 ? [`${others} further reasons`] : []),
  ];
  return [`${held.length} wait: ${listed.join(', ')}.`, `One of them: ${alertSubject(example)}.`];
}
