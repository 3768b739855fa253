import { marginEventType, type Fact } from '@ssb/events';
import type { MarginSettings } from '@ssb/config';
import { eventIdOf, type DetectionContext } from '../detection.js';
import { addRevision, type CalculationLog } from './calculation-log.js';
import { foldLevels } from './fold-levels.js';
import { MAX_TRANSITIONS, TOPICS, type AnnouncedLevel, type Change, type Topic } from './levels/change.js';
import { levelOf, type Levels } from './levels/levels.js';
import type { PrunedLog } from './prune-log.js';

/** An event that was announced. It is not announced again. */
export interface AnnouncedEvent {
  readonly id: string;
  /** Sort key of its calculation. */
  readonly sortKey: string;
}

/** What was announced until now. */
export interface Announced {
  readonly events: readonly AnnouncedEvent[];
  /** The latest level of each topic. */
  readonly levels: { readonly [Each in Topic]?: AnnouncedLevel | undefined };
}

/** The changes of a log that were not announced before, and the state after they are announced. */
export interface Announcements {
  readonly log: CalculationLog;
  readonly levels: Levels;
  readonly changes: readonly Change[];
  readonly announced: Announced;
}

/**
 * Folds a log into levels, and selects the changes that were not announced before. Drops the ids that cannot occur again, after their
 * calculations became part of the base.
 */
export function decideAnnouncements(
  { log, changes: prunedChanges, isPruned }: PrunedLog,
  announced: Announced,
  context: DetectionContext,
): Announcements {
  const known = new Set(announced.events.map(({ id }) => id));
  const decide = (candidate: CalculationLog): Announcements => {
    const { levels, changes: keptChanges } = foldLevels(candidate, context.now);
    const identified = [...prunedChanges, ...keptChanges].map((change) => ({
      change,
      event: identify(change, context),
    }));
    const fresh = identified.filter(({ event }) => !known.has(event.id));
    const again = new Set(identified.slice(prunedChanges.length).map(({ event }) => event.id));
    const changes = fresh.map(({ change }) => change);
    return {
      log: candidate,
      levels,
      changes,
      announced: {
        events: [...announced.events, ...fresh.map(({ event }) => event)].filter(
          ({ id, sortKey }) => !isPruned || sortKey > candidate.base.sortKey || again.has(id),
        ),
        levels: latestLevels(announced.levels, changes),
      },
    };
  };
  return correctLevels(decide(log), decide, context.now);
}

/**
 * Announces a level again when another one was announced last, because a calculation arrived late or the clock was set back.
 * @param decide decides a log whose level is announced again
 */
function correctLevels(
  decided: Announcements,
  decide: (log: CalculationLog) => Announcements,
  now: Date,
): Announcements {
  return TOPICS.reduce((before, topic) => {
    const last = findOutdated(before, topic);
    if (last === undefined || last.transition >= MAX_TRANSITIONS) return before;
    const corrected = decide(
      addRevision(before.log, now.toISOString(), { kind: 'correction', topic, announced: last }),
    );
    // Without thresholds for the last calculation, nothing can be announced.
    return findOutdated(corrected, topic) === undefined ? corrected : before;
  }, decided);
}

/** The level that was announced last, when it differs from the level of the log. */
function findOutdated({ levels, announced }: Announcements, topic: Topic): AnnouncedLevel | undefined {
  const last = announced.levels[topic];
  // After the clock was set back, an announced level is pending again.
  const isPending = topic === 'margin' && levels.margin.pending.some(({ level }) => level === last?.level);
  return isPending || last?.level === levelOf(levels, topic) ? undefined : last;
}

/** The event of a change, as it is remembered. */
export function identify(change: Change, context: DetectionContext): AnnouncedEvent {
  const fact = toFact(change, context.settings.margin.severity);
  return { id: eventIdOf(fact, context), sortKey: change.sortKey };
}

const SEVERITY_OF = {
  'settlementbus.margin.warning.v1': 'warning',
  'settlementbus.margin.breached.v1': 'breached',
  'settlementbus.margin.restored.v1': 'restored',
} as const;

export function toFact(change: Change, severities: MarginSettings['severity']): Fact {
  switch (change.topic) {
    case 'margin': {
      const type = marginEventType(change.data.previousLevel, change.data.level);
      return { type, data: { ...change.data, severity: severities[SEVERITY_OF[type]] } };
    }
    case 'credit-support':
      return {
        type: `settlementbus.credit-support.${change.data.level === 'SHORT' ? 'short' : 'restored'}.v1`,
        data: change.data,
      };
    case 'forecast-operator':
    case 'forecast-trend':
      return {
        type: `settlementbus.margin.${change.data.level === 'FORECAST' ? 'breach-forecast' : 'forecast-cleared'}.v1`,
        data: change.data,
      };
  }
}

function latestLevels(before: Announced['levels'], changes: readonly Change[]): Announced['levels'] {
  const latest: { [Each in Topic]?: AnnouncedLevel | undefined } = { ...before };
  for (const { topic, sortKey, data } of changes) {
    const { level, transition } = data;
    if (!isBefore({ level, sortKey, transition }, latest[topic]))
      latest[topic] = { level, sortKey, transition };
  }
  return latest;
}

function isBefore(one: AnnouncedLevel, other: AnnouncedLevel | undefined): boolean {
  if (other === undefined) return false;
  return one.sortKey === other.sortKey ? one.transition < other.transition : one.sortKey < other.sortKey;
}
