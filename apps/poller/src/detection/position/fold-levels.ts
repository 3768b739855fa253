import type { Calculation } from './calculation.js';
import type { CalculationLog, Revision } from './calculation-log.js';
import type { Change } from './levels/change.js';
import { decideCreditSupport } from './levels/credit-support.js';
import { correctLevel, type Levels, type LevelsDecision } from './levels/levels.js';
import { confirmMargin, decideMargin, redecideMargin } from './levels/margin.js';
import { completeOperatorForecast, decideOperatorForecast } from './levels/operator-forecast.js';
import type { Policy } from './levels/thresholds.js';
import { completeTrendForecast, decideTrendForecast } from './levels/trend-forecast.js';

/** All changes after the base in the order of decision, and the levels at `now`. */
export function foldLevels(log: CalculationLog, now: Date): LevelsDecision {
  const { policy, ...folded } = applyLog(log);
  if (policy === undefined) return folded;
  const completed = completeLevels(folded.levels, policy, now);
  return { levels: completed.levels, changes: [...folded.changes, ...completed.changes] };
}

/** The levels after a log, and its last policy. */
export interface FoldedLevels extends LevelsDecision {
  readonly policy?: Policy | undefined;
}

/** Applies the calculations and revisions of a log to the levels of its base. */
export function applyLog({ base, calculations, revisions }: CalculationLog): FoldedLevels {
  let { levels, policy } = base;
  const changes: Change[] = [];
  const apply = (decision: LevelsDecision): void => {
    ({ levels } = decision);
    changes.push(...decision.changes);
  };
  const revise = (revision: Revision, before: Policy): void => {
    apply(completeLevels(levels, before, new Date(revision.at)));
    if (revision.kind === 'correction') {
      apply(correctLevel(levels, revision.topic, before, revision.announced));
    } else {
      ({ policy } = revision);
      apply(redecideLevels(levels, revision.policy));
    }
  };
  let next = 0;
  const reviseBefore = (sortKey?: string): void => {
    for (; policy !== undefined; next += 1) {
      const revision = revisions[next];
      if (revision === undefined || (sortKey !== undefined && revision.after >= sortKey)) return;
      revise(revision, policy);
    }
  };
  for (const calculation of calculations) {
    reviseBefore(calculation.sortKey);
    if (policy !== undefined) apply(applyCalculation(levels, calculation, policy));
  }
  reviseBefore();
  return { levels, policy, changes };
}

/** Decides the level of each topic after a calculation. */
function applyCalculation(levels: Levels, calculation: Calculation, policy: Policy): LevelsDecision {
  const { readFrom } = levels;
  const margin = decideMargin(levels.margin, calculation, policy);
  const creditSupport = decideCreditSupport(levels.creditSupport, calculation);
  const operatorForecast = decideOperatorForecast(levels.operatorForecast, calculation, {
    policy,
    readFrom,
  });
  const trendForecast = decideTrendForecast(levels.trendForecast, calculation, policy);
  const { isForecast, tradingDay, calculatedAt } = calculation;
  const changes: Change[] = [
    ...margin.changes,
    ...creditSupport.changes,
    ...operatorForecast.changes,
    ...trendForecast.changes,
  ];
  return {
    levels: {
      ...levels,
      margin: margin.state,
      creditSupport: creditSupport.state,
      operatorForecast: operatorForecast.state,
      trendForecast: trendForecast.state,
      latest: isForecast ? levels.latest : { tradingDay, calculatedAt },
    },
    changes,
  };
}

/** Applies what follows from the time alone: a level has lasted, or all calculations of one `calculatedAt` are applied. */
function completeLevels(levels: Levels, policy: Policy, until: Date): LevelsDecision {
  const margin = confirmMargin(levels.margin, policy, until);
  return withForecasts({ ...levels, margin: margin.state }, policy, margin.changes);
}

/** Applies another policy to the last calculations. */
function redecideLevels(levels: Levels, policy: Policy): LevelsDecision {
  const margin = redecideMargin(levels.margin, policy);
  return withForecasts({ ...levels, margin: margin.state }, policy, margin.changes);
}

function withForecasts(levels: Levels, policy: Policy, changes: readonly Change[]): LevelsDecision {
  const operatorForecast = completeOperatorForecast(levels.operatorForecast, {
    policy,
    readFrom: levels.readFrom,
  });
  const trendForecast = completeTrendForecast(levels.trendForecast, policy);
  return {
    levels: {
      ...levels,
      operatorForecast: operatorForecast.state,
      trendForecast: trendForecast.state,
    },
    changes: [...changes, ...operatorForecast.changes, ...trendForecast.changes],
  };
}
