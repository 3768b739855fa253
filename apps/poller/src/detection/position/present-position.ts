import type { MarginData, MarginLevel } from '@ssb/events';
import type { Decimal, MarketDateTime } from '@ssb/market';
import type { Levels } from './levels/levels.js';
import { describeThresholds, resolveThresholds, type Policy } from './levels/thresholds.js';

/** The position at the latest actual calculation that has a margin. */
export interface PresentPosition {
  readonly calculatedAt: MarketDateTime;
  readonly tradingMargin: Decimal;
  readonly outstandingAmount?: Decimal | undefined;
  readonly level: MarginLevel;
  /** The thresholds in force. Absent when one is a share and the calculation has no trading limit. */
  readonly thresholds?: MarginData['thresholds'] | undefined;
}

export function describePresent({ margin }: Levels, policy: Policy): PresentPosition | undefined {
  const calculation = margin.last?.calculation;
  if (calculation?.tradingMargin === undefined) return undefined;
  const { calculatedAt, tradingMargin, outstandingAmount } = calculation;
  const thresholds = resolveThresholds(policy, calculation);
  return {
    calculatedAt,
    tradingMargin,
    outstandingAmount,
    level: margin.level,
    thresholds: thresholds && describeThresholds(policy, thresholds, calculation),
  };
}
