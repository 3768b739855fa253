import { addRevision, type CalculationLog } from './calculation-log.js';
import { MAX_TRANSITIONS, TOPICS, type AnnouncedLevel, type Topic } from './levels/change.js';
import { levelOf, type Levels } from './levels/levels.js';

/** A log with its levels, and the last announced level of each topic. */
interface Decided {
  readonly log: CalculationLog;
  readonly levels: Levels;
  readonly announced: { readonly levels: { readonly [Each in Topic]?: AnnouncedLevel | undefined } };
}

/**
 * Announces a level again when another one was announced last, because a calculation arrived late or the clock was set back.
 * @param decide decides a log whose level is announced again
 */
export function correctLevels<Decision extends Decided>(
  decided: Decision,
  decide: (log: CalculationLog) => Decision,
  now: Date,
): Decision {
  return TOPICS.reduce((before, topic) => {
    const announced = findOutdated(before, topic);
    if (announced === undefined || announced.transition >= MAX_TRANSITIONS) return before;
    const corrected = decide(
      addRevision(before.log, now.toISOString(), { kind: 'correction', topic, announced }),
    );
    // Without thresholds for the last calculation, nothing can be announced.
    return findOutdated(corrected, topic) === undefined ? corrected : before;
  }, decided);
}

/** The level that was announced last, when it differs from the level of the log. */
function findOutdated({ levels, announced }: Decided, topic: Topic): AnnouncedLevel | undefined {
  const last = announced.levels[topic];
  // After the clock was set back, an announced level is pending again.
  const isPending = topic === 'margin' && levels.margin.pending.some(({ level }) => level === last?.level);
  return isPending || last?.level === levelOf(levels, topic) ? undefined : last;
}
