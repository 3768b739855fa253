import { MAX_REPETITIONS, type Fact } from '@ssb/events';
import { eventIdOf, type Detected, type DetectionContext } from '../detection.js';
import { continueAlternation, decideReturn, type Alternation } from './alternation.js';

/** Ids kept per run, more than a run has revisions. The queue and the archive drop an id that is repeated after that. */
export const MAX_RAISED = 500;

/** The facts to raise, and the ids of all that were raised, the latest last. */
export interface RaisedFacts {
  readonly facts: readonly Fact[];
  readonly raised: readonly string[];
}

/** Ids of raised facts, and what is known of versions that come and go. */
export interface RaisedVersions {
  readonly raised: readonly string[];
  /** The number of raised repetitions. */
  readonly repetitions?: number | undefined;
  /** Repeated changes since the latest raised one. */
  readonly leftOut?: number | undefined;
  readonly alternation?: Alternation | undefined;
}

/** Selects the facts whose event was not raised before. */
export function selectNewFacts(
  found: readonly Fact[],
  raised: readonly string[],
  context: DetectionContext,
  maxRaised = MAX_RAISED,
): RaisedFacts {
  const seen = new Set(raised);
  const identified = found.map((fact) => ({ fact, id: eventIdOf(fact, context) }));
  const fresh = identified.filter(({ id }) => !seen.has(id));
  if (fresh.length === 0) return { facts: [], raised };
  return {
    facts: fresh.map(({ fact }) => fact),
    raised: [...raised, ...fresh.map(({ id }) => id)].slice(-maxRaised),
  };
}

/** The facts to raise; undefined when they are held. */
type SelectedChanges = RaisedVersions & { readonly facts: readonly Fact[] | undefined };

/**
 * The same, but a change that was raised before is raised again with the number of its repetition once its version is stable, so that the
 * last event has the present version. The number is bounded.
 *
 * @param promptRepetitions number of repetitions that are raised at once
 */
function selectChanges(
  found: readonly Fact[],
  versions: RaisedVersions,
  context: DetectionContext,
  promptRepetitions = 0,
): SelectedChanges {
  const { raised, repetitions = 0, leftOut = 0 } = versions;
  const seen = new Set(raised);
  const repeated = found
    .filter(isChange)
    .map((fact) => eventIdOf(fact, context))
    .find((id) => seen.has(id));
  const isReturn = repeated !== undefined && repetitions >= promptRepetitions;
  const decided = isReturn ? decideReturn(versions.alternation, repeated, context.now) : undefined;
  if (decided?.isConfirmed === false)
    return { ...versions, alternation: decided.alternation, facts: undefined };
  const isLimited = repetitions >= MAX_REPETITIONS;
  const numbered = found.map((fact) =>
    isLimited || !isChange(fact) ? fact : numberRepetition(fact, seen, context),
  );
  const added = numbered.filter((fact, index) => fact !== found[index]).length;
  const alternation = decided?.alternation ?? continueAlternation(versions.alternation, context.now);
  return {
    ...selectNewFacts(numbered, raised, context),
    repetitions: repetitions + added,
    leftOut: isLimited && repeated !== undefined ? leftOut + 1 : undefined,
    alternation,
  };
}

/** The announced version is served. An unchanged state is the same object. */
export function settleDocument<State extends RaisedVersions>(
  state: State,
  { now }: DetectionContext,
): Detected<State> {
  const { alternation, ...rest } = state;
  if (alternation === undefined) return reportVersions([], state);
  const next = continueAlternation(alternation, now);
  return reportVersions([], { ...rest, ...(next && { alternation: next }) } as State);
}

/** Another version is served. While its change is held, the announced version stays the present one. */
export function raiseChanges<State extends RaisedVersions & { readonly current?: unknown }>(
  found: readonly Fact[],
  state: State,
  current: State['current'],
  context: DetectionContext,
  promptRepetitions = 0,
): Detected<State> {
  const { facts, ...versions } = selectChanges(found, state, context, promptRepetitions);
  if (facts === undefined) return reportVersions([], { ...state, ...versions });
  return reportVersions(facts, { ...state, current, ...versions });
}

/** Raises facts that follow from the settings, each again with the number of its repetition. Above the limit, they are left out. */
export function raiseNumbered<State extends RaisedVersions>(
  found: readonly Fact[],
  state: State,
  context: DetectionContext,
): Detected<State> {
  const seen = new Set(state.raised);
  const numbered = found.map((fact) => numberRepetition(fact, seen, context));
  const { facts, raised } = selectNewFacts(numbered, state.raised, context);
  const surplus = found.length - facts.length;
  const leftOut = surplus > 0 ? { leftOut: (state.leftOut ?? 0) + surplus } : {};
  return reportVersions(facts, { ...state, raised, ...leftOut });
}

function reportVersions<State extends RaisedVersions>(facts: readonly Fact[], state: State): Detected<State> {
  const { alternation, leftOut = 0 } = state;
  return {
    facts,
    state,
    unreadable: alternation === undefined ? [] : [{ path: 'data', reason: 'alternating-versions' }],
    ...(leftOut > 0 && { leftOut: [{ what: 'repeated changes', count: leftOut, kept: MAX_REPETITIONS }] }),
  };
}

function numberRepetition(fact: Fact, seen: ReadonlySet<string>, context: DetectionContext): Fact {
  for (let count = 1; count <= MAX_REPETITIONS + 1; count += 1) {
    const numbered = count === 1 ? fact : ({ ...fact, data: { ...fact.data, repetition: count } } as Fact);
    if (!seen.has(eventIdOf(numbered, context))) return numbered;
  }
  return fact;
}

/** Whether the fact replaces an announced version. */
function isChange({ type, data }: Fact): boolean {
  switch (type) {
    case 'settlementbus.statement.revised.v1':
    case 'settlementbus.invoice.reversed.v1':
    case 'settlementbus.estimation.published.v1':
      return true;
    case 'settlementbus.invoice.issued.v1':
    case 'settlementbus.invoice.adjusted.v1':
      return data.changed !== undefined;
    default:
      return false;
  }
}
