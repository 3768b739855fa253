import type { CreditSupportData } from '@ssb/events';
import { compareDecimals, subtractDecimals } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import { correctingTransition, type Change, type Decision, type AnnouncedLevel } from './change.js';

/** Whether the credit support is at least the credit limit, after a calculation. */
export interface CreditSupportState {
  readonly level: CreditSupportData['level'];
  /** The last calculation that has both figures. */
  readonly last?: Calculation | undefined;
}

export const INITIAL_CREDIT_SUPPORT: CreditSupportState = { level: 'SUFFICIENT' };

type CreditSupportDecision = Decision<CreditSupportState, 'credit-support'>;

/** Applies an actual calculation. Ignored without both figures. */
export function decideCreditSupport(
  state: CreditSupportState,
  calculation: Calculation,
): CreditSupportDecision {
  const { creditSupport, creditLimit, isForecast } = calculation;
  if (isForecast || creditSupport === undefined || creditLimit === undefined) return { state, changes: [] };
  const level = compareDecimals(creditSupport, creditLimit) < 0 ? 'SHORT' : 'SUFFICIENT';
  const next = { level, last: calculation } as const;
  return { state: next, changes: level === state.level ? [] : createChange(next, 0) };
}

/** Announces the level again, because another level was announced last. */
export function correctCreditSupport(
  state: CreditSupportState,
  announced: AnnouncedLevel,
): CreditSupportDecision {
  const { last, level } = state;
  if (last === undefined || level === announced.level) return { state, changes: [] };
  return { state, changes: createChange(state, correctingTransition(announced, last.sortKey, 0)) };
}

function createChange({ level, last }: CreditSupportState, transition: number): Change<'credit-support'>[] {
  if (last?.creditSupport === undefined || last.creditLimit === undefined) return [];
  const { tradingDay, calculatedAt, creditSupport, creditLimit, digest, sortKey } = last;
  const difference = subtractDecimals(creditSupport, creditLimit);
  const data = {
    tradingDay,
    calculatedAt,
    creditSupport,
    creditLimit,
    difference,
    digest,
    transition,
    level,
  };
  return [{ topic: 'credit-support', sortKey, data }];
}
