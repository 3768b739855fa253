import { findWithholding, isCritical, isNotice, type SilenceFacts } from '@ssb/config';
import { isAlertReason } from '@ssb/events';
import type { SqlSession } from '@ssb/postgres';
import { withdrawReminders } from '../deliveries/messages/withdraw-reminders.js';
import type {
  DeliveryKind,
  PlannedDelivery,
  ProblemEffect,
  WithheldReason,
} from '../domain/delivery-kind.js';
import { findNotifiedSinks, NOBODY_NOTIFIED, type NotifiedSinks } from '../problems/notified-sinks.js';
import { findCovering, type Silence } from '../silences/domain/silence.js';
import { recordHiddenProblems, type HiddenProblem } from '../silences/hidden-problems.js';
import type { AlertPolicy } from './alert-policy.js';
import type { DecidedEntry, TimedEntry, VerifiedEntry } from './archive-entries.js';
import { RecentDeliveries, type SpacedEntry } from './recent-deliveries.js';

/**
 * Decides the deliveries of new events. Reads the database only when a problem has ended or a rule has `minInterval`. Withdraws the reminders
 * of problems that have ended.
 */
export async function planDeliveries(
  session: SqlSession,
  entries: readonly TimedEntry[],
  effects: ReadonlyMap<VerifiedEntry, ProblemEffect>,
  policy: AlertPolicy,
  now: Date,
): Promise<DecidedEntry[]> {
  const resolved = [...effects].filter(([, { change }]) => change === 'resolved');
  const known = new Map(
    await findNotifiedSinks(
      session,
      resolved.map(([, { problemId }]) => problemId),
      (name) => policy.hasSink(name),
    ),
  );
  const withdrawn = resolved.flatMap(([{ event }, { problemId }]) =>
    known.get(problemId)?.hasPending ? [{ problemId, eventId: event.id }] : [],
  );
  const routed = entries.map((timed) => routeEntry(timed, effects.get(timed.entry), policy));
  const recent = await RecentDeliveries.read(session, routed);
  const decided = routed.map((each) => {
    const { effect } = each;
    const notified = (effect && known.get(effect.problemId)) ?? NOBODY_NOTIFIED;
    const planned = planEntry(each, notified, recent, now);
    // The problem may end within the batch. A held alert of it is then withdrawn.
    if (effect && each.timed.timing === 'now')
      known.set(effect.problemId, addNotified(notified, planned.deliveries));
    return planned;
  });
  await recordHiddenProblems(
    session,
    decided.flatMap((each, index) => findHidden(each, routed[index])),
  );
  const next = decided.flatMap(({ entry: { event }, deliveries }) =>
    deliveries.map(({ sink }) => ({ sink, eventId: event.id })),
  );
  await withdrawReminders(session, withdrawn, next);
  return decided;
}

/** An event, and what the rules say about it. `rules` are those that match, where some rule withholds. */
export interface RoutedEntry extends SpacedEntry {
  /** What the event did to its problem; undefined when it changed none. */
  readonly effect: ProblemEffect | undefined;
  readonly facts: SilenceFacts;
  /** The silences that cover the event. */
  readonly silences: readonly Silence[];
}

export function routeEntry(
  timed: TimedEntry,
  effect: ProblemEffect | undefined,
  policy: AlertPolicy,
): RoutedEntry {
  const facts = toFacts(timed, effect, policy);
  const isRouted = timed.timing !== 'none';
  return {
    timed,
    effect,
    facts,
    sinks: isRouted ? policy.findSinks(timed.entry, facts) : [],
    rules: isRouted ? policy.findWithholdingRules(facts) : [],
    silences: findCovering(policy.silences ?? [], facts),
  };
}

/**
 * Decides the deliveries of a new event. The end of a problem also goes to each sink that was notified of it, whatever the rules say, and then
 * even when the event is backlog.
 * @param notified what the sinks know of that problem
 */
export function planEntry(
  routed: RoutedEntry,
  notified: NotifiedSinks,
  recent: Pick<RecentDeliveries, 'sinceMs' | 'add'>,
  now: Date,
): DecidedEntry {
  const { timed, effect, facts } = routed;
  const kind = deliveryKindOf(effect);
  const sinks = new Set(kind === 'resolved' ? [...routed.sinks, ...notified.notified] : routed.sinks);
  const deliveries = [...sinks].map((sink): PlannedDelivery => {
    const withheld = withholdingOf(sink, kind, routed, notified, recent, now);
    if (withheld === undefined && timed.timing !== 'held') recent.add(sink, timed.entry.event.subject);
    return {
      sink,
      kind,
      severity: facts.severity,
      ...(effect && { problemId: effect.problemId, problemState: effect.state }),
      ...(withheld && { withheld }),
    };
  });
  return { ...timed, effect, deliveries };
}

/** A sink that was notified of a problem is notified of its end; a sink from which the problem was withheld is not. */
function withholdingOf(
  sink: string,
  kind: DeliveryKind,
  { timed, effect, facts, rules, silences }: RoutedEntry,
  { notified, withheld }: NotifiedSinks,
  recent: Pick<RecentDeliveries, 'sinceMs'>,
  now: Date,
): WithheldReason | undefined {
  if (kind === 'resolved' && notified.has(sink)) return undefined;
  if (kind === 'resolved' && withheld.has(sink)) return withheld.get(sink);
  if (kind !== 'resolved' && silences.length > 0) return 'silenced';
  // An interval withholds repeats, not the alert that a problem opens or is raised with.
  const isRepeat = kind !== 'alert' || !effect?.isRaised;
  return findWithholding(
    rules.filter(({ sinks }) => sinks.includes(sink)),
    {
      at: now,
      isCritical: isCritical(facts.severity, facts.type),
      isNotice: isNotice(kind, facts.severity),
      sinceLastMs: isRepeat ? recent.sinceMs(sink, timed.entry.event.subject) : undefined,
    },
  );
}

function addNotified(
  { notified, withheld, hasPending }: NotifiedSinks,
  deliveries: readonly PlannedDelivery[],
): NotifiedSinks {
  const alerts = deliveries.filter(({ kind }) => kind === 'alert');
  const nowNotified = new Set([
    ...notified,
    ...alerts.filter((alert) => alert.withheld === undefined).map(({ sink }) => sink),
  ]);
  const stillWithheld = [
    ...withheld,
    ...alerts.flatMap((alert): [string, WithheldReason][] =>
      alert.withheld === undefined ? [] : [[alert.sink, alert.withheld]],
    ),
  ].filter(([sink]) => !nowNotified.has(sink));
  return { notified: nowNotified, withheld: new Map(stillWithheld), hasPending };
}

/** The silences that withhold an alert of a critical problem. */
function findHidden(
  { effect, deliveries }: DecidedEntry,
  routed: RoutedEntry | undefined,
): readonly HiddenProblem[] {
  if (effect === undefined || effect.change === 'resolved' || routed === undefined) return [];
  if (!isCritical(routed.facts.severity, routed.facts.type)) return [];
  if (!deliveries.some(({ withheld }) => withheld === 'silenced')) return [];
  const { problemId } = effect;
  return routed.silences.map(({ silenceId }) => ({ silenceId, problemId }));
}

/** An event that ends a problem which is not open is about no problem. */
function toFacts(
  { entry }: TimedEntry,
  effect: ProblemEffect | undefined,
  policy: Pick<AlertPolicy, 'severityOf'>,
): SilenceFacts {
  const { event, problem, amount } = entry;
  const reason = problem?.figures['reason'];
  const isAboutProblem = problem !== undefined && (effect !== undefined || problem.effect === 'lasts');
  return {
    type: event.type,
    participant: event.participant,
    severity:
      effect?.change === 'resolved'
        ? effect.worstSeverity
        : policy.severityOf(isAboutProblem ? problem : undefined),
    ...(isAboutProblem && { problem: problem.kind }),
    ...(amount !== undefined && { amount }),
    ...(isAlertReason(reason) && { reason }),
  };
}

function deliveryKindOf(effect: ProblemEffect | undefined): DeliveryKind {
  if (effect === undefined) return 'notice';
  if (effect.change === 'resolved') return 'resolved';
  return effect.severity === 'info' ? 'notice' : 'alert';
}
