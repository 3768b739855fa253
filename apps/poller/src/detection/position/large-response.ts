import { precedenceOf, type Fact } from '@ssb/events';
import type { DetectionContext } from '../detection.js';
import { identify, type Announced } from './announcements.js';
import type { CalculationLog } from './calculation-log.js';
import type { Change } from './levels/change.js';

/** Facts that are saved and queued together without a noticeable delay. */
const MAX_FACTS_AT_ONCE = 200;

/** Separates the changed levels of a large response, so that they do not wait until thousands of events are saved. */
export function splitLargeResponse(facts: readonly Fact[]): {
  readonly levels: readonly Fact[];
  readonly others: readonly Fact[];
} {
  if (facts.length <= MAX_FACTS_AT_ONCE) return { levels: [], others: facts };
  const isLevel = (fact: Fact): boolean => precedenceOf(fact) === 0;
  return { levels: facts.filter(isLevel), others: facts.filter((fact) => !isLevel(fact)) };
}

interface AnnouncedLog {
  readonly announced: Announced;
  readonly log: CalculationLog;
}

/**
 * The state before the calculations, with the changed levels as announced. It counts as settled until the calculations are read again, because
 * a level must not be corrected without them.
 */
export function announceLevelsOnly<State extends AnnouncedLog>(
  before: State,
  { announced, log: { revisions } }: AnnouncedLog,
  changes: readonly Change[],
  context: DetectionContext,
): State & { readonly isSettled: true } {
  const known = new Set(before.log.revisions);
  const corrections = revisions.filter((revision) => revision.kind === 'correction' && !known.has(revision));
  const events = [...before.announced.events, ...changes.map((change) => identify(change, context))];
  return {
    ...before,
    log: { ...before.log, revisions: [...before.log.revisions, ...corrections] },
    announced: { events, levels: announced.levels },
    isSettled: true,
  };
}
