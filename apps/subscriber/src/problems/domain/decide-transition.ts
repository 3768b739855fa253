import { PROBLEM_LEVELS, SEVERITIES, type ProblemSignal, type Severity } from '@ssb/events';
import { compareDecimals, tryParseDecimal } from '@ssb/market/decimal';
import type { ProblemEffect } from '../../domain/delivery-kind.js';
import { problemIdOf, type ArchiveOffset, type Problem } from './problem.js';

/** An archived event that says something about a problem. */
export interface ArchivedSignal {
  readonly signal: ProblemSignal;
  /** Named by the event, else the default of its kind. */
  readonly severity: Severity;
  readonly eventId: string;
  readonly participant: string;
  /** Time of the fact, RFC 3339. */
  readonly time: string;
  readonly archivedAt: Date;
  readonly archiveOffset: ArchiveOffset;
  /** The fact is older than the alerts of its participant. It opens no problem. */
  readonly isBacklog: boolean;
  /** The subject has an event of a higher sequence, which was archived before. */
  readonly isStale: boolean;
}

export interface Transition {
  readonly change: ProblemEffect['change'];
  /** The event opened the problem, or raised its severity or level. */
  readonly isRaised: boolean;
  /** The problem after the event. */
  readonly problem: Problem;
}

/**
 * Decides what an event does to the problem of its key. The order of decisions is that of the archive.
 * @param problem the open or acknowledged problem of the key
 * @param isHandled a person has closed a problem of the key, and it stays closed
 * @returns undefined when the event changes nothing
 */
export function decideTransition(
  problem: Problem | undefined,
  event: ArchivedSignal,
  isHandled = false,
): Transition | undefined {
  const { signal, isStale, isBacklog } = event;
  if (isStale) return undefined;
  if (problem === undefined)
    return signal.effect === 'ends' || isBacklog || isHandled ? undefined : open(event);
  return signal.effect === 'ends' ? resolve(problem, event) : update(problem, event);
}

function open(event: ArchivedSignal): Transition {
  const { signal, severity, eventId, participant, time, archivedAt, archiveOffset } = event;
  const { kind, key, level, figures, measure, closedByPerson } = signal;
  const problem: Problem = {
    problemId: problemIdOf(signal, eventId),
    kind,
    key,
    participant,
    state: 'open',
    severity,
    worstSeverity: severity,
    level,
    worstLevel: level,
    closedByPerson,
    since: time,
    openedAt: archivedAt,
    changedAt: archivedAt,
    worsened: 0,
    figures,
    worstFigures: figures,
    worstMeasure: measure?.value,
    eventId,
    archiveOffset,
    acknowledged: undefined,
    endedAt: undefined,
    closed: undefined,
    changes: 1,
  };
  return { change: 'opened', isRaised: true, problem };
}

function resolve(problem: Problem, event: ArchivedSignal): Transition {
  return {
    change: 'resolved',
    isRaised: false,
    problem: { ...applied(problem, event), state: 'resolved', endedAt: event.archivedAt },
  };
}

/** A higher severity or level needs a person again. A deeper figure of the same level does not. */
function update(problem: Problem, event: ArchivedSignal): Transition {
  const { signal, severity } = event;
  const isHigher =
    rankOfSeverity(severity) > rankOfSeverity(problem.severity) ||
    rankOfLevel(signal.level) > rankOfLevel(problem.level);
  const isLowerLevel = rankOfLevel(signal.level) < rankOfLevel(problem.level);
  const isWorse = isHigher || (!isLowerLevel && isDeeper(signal, problem.worstMeasure));
  const isLowered = isLowerLevel || rankOfSeverity(severity) < rankOfSeverity(problem.severity);
  const change = isWorse ? 'worsened' : isLowered ? 'lowered' : 'updated';
  const isAcknowledged = problem.state === 'acknowledged' && !isHigher;
  return {
    change,
    isRaised: isHigher,
    problem: {
      ...applied(problem, event),
      ...worstOf(problem, event),
      state: isAcknowledged ? 'acknowledged' : 'open',
      acknowledged: isAcknowledged ? problem.acknowledged : undefined,
      severity,
      level: signal.level,
      worsened: problem.worsened + (isWorse ? 1 : 0),
    },
  };
}

function applied(problem: Problem, { signal, eventId, archivedAt, archiveOffset }: ArchivedSignal): Problem {
  return {
    ...problem,
    changedAt: archivedAt,
    figures: signal.figures,
    eventId,
    archiveOffset,
    changes: problem.changes + 1,
  };
}

type Worst = Pick<Problem, 'worstSeverity' | 'worstLevel' | 'worstFigures' | 'worstMeasure'>;

/** The worst event has the highest level, then the deepest figure, or without a figure the highest severity. */
function worstOf(problem: Problem, { signal, severity }: ArchivedSignal): Worst {
  const { worstSeverity, worstLevel, worstFigures, worstMeasure } = problem;
  const isHigherSeverity = rankOfSeverity(severity) > rankOfSeverity(worstSeverity);
  const levels = rankOfLevel(signal.level) - rankOfLevel(worstLevel);
  const isDeepest = signal.measure ? isDeeper(signal, worstMeasure) : isHigherSeverity;
  const isWorst = levels > 0 || (levels === 0 && isDeepest);
  return {
    worstSeverity: isHigherSeverity ? severity : worstSeverity,
    worstLevel: levels > 0 ? signal.level : worstLevel,
    worstFigures: isWorst ? signal.figures : worstFigures,
    worstMeasure: isWorst ? signal.measure?.value : worstMeasure,
  };
}

/** Compares exactly: figures have up to 23 digits. */
function isDeeper({ measure }: ProblemSignal, worst: string | undefined): boolean {
  const value = measure && tryParseDecimal(measure.value);
  if (measure === undefined || value === undefined) return false;
  const before = worst === undefined ? undefined : tryParseDecimal(worst);
  if (before === undefined) return true;
  return compareDecimals(value, before) === (measure.worse === 'lower' ? -1 : 1);
}

function rankOfSeverity(severity: Severity): number {
  return SEVERITIES.indexOf(severity);
}

/** Without a level, below every level. */
function rankOfLevel(level: Problem['level']): number {
  return level === undefined ? -1 : PROBLEM_LEVELS.indexOf(level);
}
