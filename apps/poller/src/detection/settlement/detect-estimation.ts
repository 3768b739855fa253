import { MAX_ESTIMATION_VARIABLES, type Fact } from '@ssb/events';
import { dateOf, sumDecimals, type MarketDate, type SettlementOutputDetails } from '@ssb/market';
import type { Detected, DetectionContext } from '../detection.js';
import { digestDays, isUnicode, NOT_UNICODE } from '../digest.js';
import { findForeignName, nothingNew, unreadable } from './publication.js';
import { raiseChanges, settleDocument } from './raised-facts.js';
import type { SettlementRun } from './runs.js';
import { NEW_ESTIMATION, type EstimationState } from './states.js';

/** The first change back to a version has the id of its publication. */
const PROMPT_REPETITIONS = 1;

/**
 * Detects estimation.published for a trading day of an NSTEM run.
 *
 * @param response undefined for a 404
 */
export function detectEstimation(
  previous: EstimationState | undefined,
  run: SettlementRun,
  tradingDay: MarketDate,
  response: SettlementOutputDetails | undefined,
  context: DetectionContext,
): Detected<EstimationState> {
  const state = previous ?? NEW_ESTIMATION;
  if (response === undefined) return nothingNew(state);
  const foreign = findForeignName(response, run, context.participant);
  if (foreign !== undefined) return unreadable(state, foreign.path, foreign.reason);
  if (dateOf(response.tradingDay) !== tradingDay) return unreadable(state, 'tradingDay', 'other-statement');
  const digest = digestDays(response.tradingDays);
  if (digest === undefined) return unreadable(state, '', NOT_UNICODE);
  if (!isUnicode(response.period)) return unreadable(state, 'period', NOT_UNICODE);
  const { runId, publishedAt } = response;
  const known = state.current;
  if (known?.runId === runId && known.publishedAt === publishedAt && known.digest === digest)
    return settleDocument(state, context);
  const fact = createFact(response, digest, known !== undefined);
  return raiseChanges([fact], state, { runId, publishedAt, digest }, context, PROMPT_REPETITIONS);
}

function createFact(estimation: SettlementOutputDetails, digest: string, isRevision: boolean): Fact {
  const { runId, publishedAt, designation, period, periodFrom, periodTo, tradingDay, tradingDays } =
    estimation;
  const all = tradingDays.flatMap(({ variables }) => variables);
  const variables = all.slice(0, MAX_ESTIMATION_VARIABLES).map(({ variable, scope, granularity, value }) => ({
    variable,
    scope,
    granularity,
    values: value?.length ?? 0,
    sum: sumDecimals(value ?? []),
  }));
  return {
    type: 'settlementbus.estimation.published.v1',
    data: {
      runId,
      publishedAt,
      designation,
      period,
      periodFrom,
      periodTo,
      tradingDay,
      digest,
      isRevision,
      variables,
      count: all.length,
    },
  };
}
