import type { AlertFacts } from '@ssb/config';
import type { SqlSession } from '@ssb/postgres';
import type { DeliveryKind, PlannedDelivery, ProblemEffect } from '../domain/delivery-kind.js';
import type { AlertPolicy } from './alert-policy.js';
import { findAlertedSinks } from '../problems/problem-table.js';
import type { DecidedEntry, TimedEntry, VerifiedEntry } from './archive-entries.js';

/** Decides the deliveries of new events. Reads the database only when a problem has ended. */
export async function planDeliveries(
  session: SqlSession,
  entries: readonly TimedEntry[],
  effects: ReadonlyMap<VerifiedEntry, ProblemEffect>,
  policy: AlertPolicy,
): Promise<DecidedEntry[]> {
  const resolved = [...effects.values()].filter(({ change }) => change === 'resolved');
  const stored = await findAlertedSinks(
    session,
    resolved.map(({ problemId }) => problemId),
  );
  const alerted = new Map<string, ReadonlySet<string>>(
    [...stored].map(([problemId, sinks]) => [problemId, new Set(sinks)]),
  );
  return entries.map((timed) => {
    const effect = effects.get(timed.entry);
    const known = effect && alerted.get(effect.problemId);
    const decided = planEntry(timed, effect, policy, known);
    // The problem may end within the batch. A held alert of it is then withdrawn.
    if (effect && timed.timing === 'now') {
      const sinks = decided.deliveries.flatMap(({ kind, sink }) => (kind === 'alert' ? [sink] : []));
      alerted.set(effect.problemId, new Set([...(known ?? []), ...sinks]));
    }
    return decided;
  });
}

/**
 * Decides the deliveries of a new event. The end of a problem also goes to each sink that got an alert of it, whatever the rules say, and
 * then even when the event is backlog.
 * @param effect what the event did to its problem; undefined when it changed none
 * @param alerted the sinks that got an alert of that problem
 */
export function planEntry(
  timed: TimedEntry,
  effect: ProblemEffect | undefined,
  policy: AlertPolicy,
  alerted: ReadonlySet<string> = new Set(),
): DecidedEntry {
  const { entry, timing } = timed;
  const kind = deliveryKindOf(effect);
  const facts = toFacts(timed, effect, policy);
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
function toFacts(
  { entry }: TimedEntry,
  effect: ProblemEffect | undefined,
  policy: Pick<AlertPolicy, 'severityOf'>,
): AlertFacts {
  const { event, problem, amount } = entry;
  const isAboutProblem = problem !== undefined && (effect !== undefined || problem.effect === 'lasts');
  return {
    type: event.type,
    participant: event.participant,
    severity: effect?.change === 'resolved' ? effect.worstSeverity : policy.severityOf(problem),
    ...(isAboutProblem && { problem: problem.kind }),
    ...(amount !== undefined && { amount }),
  };
}

function deliveryKindOf(effect: ProblemEffect | undefined): DeliveryKind {
  if (effect === undefined) return 'notice';
  if (effect.change === 'resolved') return 'resolved';
  return effect.severity === 'info' ? 'notice' : 'alert';
}
