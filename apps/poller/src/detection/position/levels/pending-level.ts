import type { MarginData, MarginLevel } from '@ssb/events';
import { parseDecimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import type { Change } from './change.js';

/** A worse level that is not announced until it has lasted. */
export interface PendingLevel {
  readonly level: MarginLevel;
  /** Since when the level is this one or a worse one, milliseconds. It can be before `first`. */
  readonly since: number;
  /** The first calculation of exactly this level. It identifies the event whenever the level is announced, so the order of polls does not matter. */
  readonly first: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly cause: 'calculation' | 'thresholds';
  readonly transition: number;
  /** The calculations after the first with which a breach became deeper. */
  readonly deeper: readonly DeeperBreach[];
  /** The number of steps that deeper ones replaced, because they were too many. */
  readonly leftOut?: number | undefined;
}

export interface DeeperBreach {
  readonly calculation: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly transition: number;
}

const ZERO = parseDecimal('0');

/** The calculation with the deepest margin. */
export function deepestOf({ first, deeper }: PendingLevel): Calculation {
  return deeper.at(-1)?.calculation ?? first;
}

/** Announces a level that has lasted, and how the breach became deeper meanwhile. */
export function announcePending(entry: PendingLevel, previousLevel: MarginLevel): Change<'margin'>[] {
  const { level, first, thresholds, cause, transition, deeper } = entry;
  return [
    createMarginChange(first, { level, previousLevel, thresholds, cause, transition }),
    ...deeper.map(({ calculation, ...announced }, index) => {
      const before = deeper[index - 1]?.calculation ?? first;
      const { tradingMargin: previousMargin = ZERO } = before;
      return createMarginChange(calculation, {
        level,
        previousLevel: level,
        cause: 'deepened',
        previousMargin,
        ...announced,
      });
    }),
  ];
}

export type Announcement = Pick<MarginData, 'previousLevel' | 'cause' | 'previousMargin'>;

export function createMarginChange(
  calculation: Calculation,
  decided: Announcement & Pick<MarginData, 'level' | 'thresholds'> & { readonly transition: number },
): Change<'margin'> {
  const { tradingDay, calculatedAt, tradingMargin = ZERO, outstandingAmount, digest, sortKey } = calculation;
  return {
    topic: 'margin',
    sortKey,
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
