import type { Severity } from '@ssb/events';
import type { DeliveryKind, PlannedDelivery, ProblemEffect } from '../domain/delivery-kind.js';
import type { AlertFacts, AlertPolicy } from './alert-policy.js';
import type { DecidedEntry, TimedEntry } from './archive-entries.js';

/**
 * Decides the deliveries of a new event. The end of a problem also goes to each sink that got an alert of it, whatever the rules say, and
 * then even when the event is backlog.
 * @param severity of the event
 * @param effect what the event did to its problem; undefined when it changed none
 * @param alerted the sinks that got an alert of that problem
 */
export function planDeliveries(
  timed: TimedEntry,
  severity: Severity,
  effect: ProblemEffect | undefined,
  policy: Pick<AlertPolicy, 'findSinks'>,
  alerted: readonly string[] = [],
): DecidedEntry {
  const { entry, timing } = timed;
  const kind = deliveryKindOf(effect);
  const facts = toFacts(timed, kind === 'resolved' && effect ? effect.worstSeverity : severity, effect);
  const routed = timing === 'none' ? [] : policy.findSinks(entry, facts);
  const sinks = new Set(kind === 'resolved' ? [...routed, ...alerted] : routed);
  const deliveries = [...sinks].map((sink): PlannedDelivery => ({
    sink,
    kind,
    severity: facts.severity,
    ...(effect && { problemId: effect.problemId, problemState: effect.state }),
  }));
  return { ...timed, effect, deliveries };
}

/** An event that ends a problem which is not open is about no problem. */
function toFacts({ entry }: TimedEntry, severity: Severity, effect: ProblemEffect | undefined): AlertFacts {
  const { event, problem, amount } = entry;
  const isAboutProblem = problem !== undefined && (effect !== undefined || problem.effect === 'lasts');
  return {
    type: event.type,
    participant: event.participant,
    severity,
    ...(isAboutProblem && { problem: problem.kind }),
    ...(amount !== undefined && { amount }),
  };
}

function deliveryKindOf(effect: ProblemEffect | undefined): DeliveryKind {
  if (effect === undefined) return 'notice';
  if (effect.change === 'resolved') return 'resolved';
  return effect.severity === 'info' ? 'notice' : 'alert';
}
