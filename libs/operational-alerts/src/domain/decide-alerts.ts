import {
  ALERT_REASONS,
  ALL_PARTICIPANTS,
  alertSubject,
  FURTHER_DOCUMENTS,
  type AlertReport,
  type AlertTopic,
  type BridgeApp,
} from '@ssb/events';
import type { Occurrences } from '../alert-carrier.js';
import {
  isHourOver,
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  renewAllowance,
  takeAllowance,
  type AlertAllowance,
} from './alert-allowance.js';
import { confirm, isConfirmed, withdraw } from './confirmations.js';
import { addOccurrence, clearFault, decideReport, recordReport, type FaultState } from './fault-state.js';

/** An alert to send. */
export interface DueAlert {
  readonly kind: 'raised' | 'cleared';
  readonly report: AlertReport;
}

/** What is saved about one fault, and the allowance of the app. */
export interface SavedAlerts {
  readonly fault: FaultState | undefined;
  readonly allowance: AlertAllowance | undefined;
}

/** What to save, and the alerts to send once it is saved. */
export interface AlertDecision extends SavedAlerts {
  readonly alerts: readonly DueAlert[];
}

/** Counts occurrences and decides whether an alert is due. The process thereby confirms a fault that clears. */
export function decideRaise(
  saved: SavedAlerts,
  { topic, count, detail }: Occurrences,
  processId: string,
  now: Date,
): AlertDecision {
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
export function decideClear(saved: SavedAlerts, processId: string, now: Date): AlertDecision {
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
export function decideWithdraw(saved: SavedAlerts, processId: string): AlertDecision {
  const { fault } = saved;
  const confirmedAt = withdraw(fault?.confirmedAt, processId);
  if (fault === undefined || confirmedAt === fault.confirmedAt) return { ...saved, alerts: [] };
  return { ...saved, fault: { ...fault, confirmedAt }, alerts: [] };
}

/** Decides whether the alert of a saved fault is due. */
export function decideDue({ fault, allowance }: SavedAlerts, now: Date): AlertDecision {
  const report = fault && decideReport(fault, now);
  if (report === undefined) return { fault, allowance, alerts: [] };
  const { app } = report;
  const alerts = endHour(app, allowance, now);
  const current = renewAllowance(allowance, now);
  const rest = takeAllowance(current, report);
  if (rest === undefined) {
    if (current.heldSince === undefined)
      alerts.push(heldBackAlert('raised', app, now, now, `The first that waits: ${alertSubject(report)}.`));
    return { fault, allowance: { ...current, heldSince: current.heldSince ?? now }, alerts };
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
export function decideOverflow(saved: SavedAlerts, processId: string, now: Date): AlertDecision {
  const { fault } = saved;
  const isOverflow =
    fault?.topic.participant === ALL_PARTICIPANTS && fault.topic.document === FURTHER_DOCUMENTS;
  if (!isOverflow || isConfirmed(fault?.confirmedAt, now)) return { ...saved, alerts: [] };
  return decideClear(saved, processId, now);
}

/** Reports that alerts are no longer held back, when the hour is over. */
export function decideEndOfHour(
  app: BridgeApp,
  allowance: AlertAllowance | undefined,
  now: Date,
): AlertDecision {
  const alerts = endHour(app, allowance, now);
  return { fault: undefined, allowance: alerts.length > 0 ? undefined : allowance, alerts };
}

function endHour(app: BridgeApp, allowance: AlertAllowance | undefined, now: Date): DueAlert[] {
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

/** This alert is not counted itself. */
function heldBackAlert(kind: DueAlert['kind'], app: BridgeApp, since: Date, now: Date, first = ''): DueAlert {
  const detail = `An app sends at most ${MAX_ALERTS_PER_HOUR} alerts an hour, ${MAX_ALERTS_PER_REASON} of one reason and interface, and the first of each. ${first}`;
  const topic = { app, reason: 'alerts-held-back', participant: ALL_PARTICIPANTS } as const;
  return { kind, report: { ...topic, since, count: 1, detail, sequence: now.getTime() } };
}
