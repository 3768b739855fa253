import type { MarginData, MarginLevel } from '@ssb/events';
import { parseDecimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import type { Change } from './change.js';

/** A worse level that is not stated yet, because it has not lasted. */
export interface PendingLevel {
  readonly level: MarginLevel;
  /** Since when the level is this one or a worse one, milliseconds. It can be before `first`. */
  readonly since: number;
  /** The first calculation of exactly this level. It identifies the event whenever the level is stated, so the order of polls does not matter. */
  readonly first: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly cause: 'calculation' | 'thresholds';
  readonly transition: number;
  /** The calculations after the first with which a breach became deeper. */
  readonly deeper: readonly DeeperBreach[];
  /** How many of them a deeper one replaced, because they were too many. */
  readonly leftOut?: number | undefined;
}

export interface DeeperBreach {
  readonly calculation: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly transition: number;
}

const ZERO = parseDecimal('0');

/** The calculation with the deepest margin that is to be stated. */
export function deepestOf({ first, deeper }: PendingLevel): Calculation {
  return deeper.at(-1)?.calculation ?? first;
}

/** States a level that has lasted, and how the breach became deeper meanwhile. */
export function statePending(entry: PendingLevel, previousLevel: MarginLevel): Change<'margin'>[] {
  const { level, first, thresholds, cause, transition, deeper } = entry;
  return [
    createMarginChange(first, { level, previousLevel, thresholds, cause, transition }),
    ...deeper.map(({ calculation, ...stated }, index) => {
      const before = deeper[index - 1]?.calculation ?? first;
      const { tradingMargin: previousMargin = ZERO } = before;
      return createMarginChange(calculation, {
        level,
        previousLevel: level,
        cause: 'deepened',
        previousMargin,
        ...stated,
      });
    }),
  ];
}

export type Statement = Pick<MarginData, 'previousLevel' | 'cause' | 'previousMargin'>;

export function createMarginChange(
  calculation: Calculation,
  decided: Statement & Pick<MarginData, 'level' | 'thresholds'> & { readonly transition: number },
): Change<'margin'> {
  const { tradingDay, calculatedAt, tradingMargin = ZERO, outstandingAmount, digest, position } = calculation;
  return {
    topic: 'margin',
    position,
    data: {
      tradingDay,
      calculatedAt,
      tradingMargin,
      ...(outstandingAmount !== undefined && { outstandingAmount }),
      digest,
      ...decided,
    },
  };
}
