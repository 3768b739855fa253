import { MAX_REPETITIONS, type Fact } from '@ssb/events';
import { eventIdOf, type DetectionContext } from '../detection.js';

/** Ids kept per run, more than `MAX_REPETITIONS`. The queue and the archive drop an id that is repeated after that. */
export const MAX_RAISED = 50;

/** The facts to raise, and the ids of all that were raised, the latest last. */
export interface RaisedFacts {
  readonly facts: readonly Fact[];
  readonly raised: readonly string[];
}

/** Ids of raised facts, and how many of them were repetitions. */
interface RaisedVersions {
  readonly raised: readonly string[];
  readonly repetitions?: number | undefined;
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

/**
 * The same, but a change that was raised before is raised again with the number of its repetition, so that the last event states the
 * present version. The number is bounded.
 */
export function selectChanges(
  found: readonly Fact[],
  { raised, repetitions = 0 }: RaisedVersions,
  context: DetectionContext,
): RaisedFacts & RaisedVersions {
  const seen = new Set(raised);
  const isLimited = repetitions >= MAX_REPETITIONS;
  const numbered = found.map((fact) => (isLimited ? fact : numberRepetition(fact, seen, context)));
  const repeated = numbered.filter((fact, index) => fact !== found[index]).length;
  return { ...selectNewFacts(numbered, raised, context), repetitions: repetitions + repeated };
}

function numberRepetition(fact: Fact, seen: ReadonlySet<string>, context: DetectionContext): Fact {
  if (!isChange(fact)) return fact;
  for (let count = 1; count <= MAX_REPETITIONS + 1; count += 1) {
    const numbered = count === 1 ? fact : ({ ...fact, data: { ...fact.data, repetition: count } } as Fact);
    if (!seen.has(eventIdOf(numbered, context))) return numbered;
  }
  return fact;
}

/** Whether the fact replaces a version that was stated. */
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
