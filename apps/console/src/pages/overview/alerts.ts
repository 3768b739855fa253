import { readProblemSignal, type ProblemSignal } from '@ssb/events/problems';
import type { LiveEvent } from '../../api/live.js';
import { titleOf } from '../problems/problem-titles.js';

/** An alert that arrived while the page is open. */
export interface Alert {
  readonly eventId: string;
  /** Of the problem. */
  readonly key: string;
  readonly participant: string;
  readonly severity: 'warning' | 'critical';
  readonly what: string;
  /** As the event has it. */
  readonly at: string;
  readonly margin?: string;
  /** The threshold that the margin is below. */
  readonly threshold?: string;
}

/** Problems that nobody waits to read in a list. */
const KINDS: ReadonlySet<ProblemSignal['kind']> = new Set([
  'margin',
  'credit-support',
  'breach-forecast',
  'operator-unreachable',
]);

/** The alert to show after an event: a new one, the present one, or none once it has ended. */
export function nextAlert(present: Alert | undefined, event: LiveEvent): Alert | undefined {
  const signal = readProblemSignal({
    type: event.type,
    subject: event.subject,
    data: event.event['data'] ?? {},
  } as Parameters<typeof readProblemSignal>[0]);
  if (signal === undefined || !KINDS.has(signal.kind)) return present;
  const isSame = present?.key === signal.key;
  if (signal.effect === 'ends') return isSame ? undefined : present;
  // From a breach to a warning: the severity of the event is that of good news.
  if (event.type === 'settlementbus.margin.restored.v1')
    return isSame ? toAlert(signal, event, 'warning') : present;
  // A late event is not about the present.
  if (event.severity === 'info' || event.marks.includes('late')) return present;
  return isBehind(event, present) ? present : toAlert(signal, event, event.severity);
}

/** A warning does not hide a critical alert of another participant. */
const isBehind = (event: LiveEvent, present: Alert | undefined): boolean =>
  present?.severity === 'critical' &&
  event.severity !== 'critical' &&
  event.participant !== present.participant;

function toAlert(signal: ProblemSignal, event: LiveEvent, severity: Alert['severity']): Alert {
  const { id, participant, time } = event;
  const { kind, key, level, figures } = signal;
  const { tradingMargin, warning, breach } = figures;
  const threshold = level === 'WARNING' ? warning : breach;
  return {
    eventId: id,
    key,
    participant,
    severity,
    what: titleOf({ kind, key, participant, figures, ...(level && { level }) }),
    at: time,
    ...(tradingMargin !== undefined && { margin: tradingMargin }),
    ...(threshold !== undefined && { threshold }),
  };
}
