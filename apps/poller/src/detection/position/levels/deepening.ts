import type { MarginData } from '@ssb/events';
import { parseDecimal, subtractDecimals, type Decimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import { isBelow, type Thresholds } from './thresholds.js';

/** A breach that became deeper while it was pending. */
export interface Deepening {
  readonly first: Calculation;
  /** The calculations after the first with which a breach became deeper. */
  readonly deeper: readonly DeeperBreach[];
  /** The number of steps that deeper ones replaced, because they were too many. */
  readonly leftOut?: number | undefined;
}

interface DeeperBreach {
  readonly calculation: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly transition: number;
}

/** A pending breach keeps at most this many steps, because all are announced at once. Then a deeper step replaces the last. */
export const MAX_DEEPER_STEPS = 100;

const ZERO = parseDecimal('0');

/** Whether a margin is at least one step below another. A step of zero means never. */
export function isDeeper(margin: Decimal, than: Decimal, { deepeningStep }: Thresholds): boolean {
  return isBelow(ZERO, deepeningStep) && !isBelow(subtractDecimals(than, margin), deepeningStep);
}

/** The calculation with the deepest margin. */
export function deepestOf({ first, deeper }: Deepening): Calculation {
  return deeper.at(-1)?.calculation ?? first;
}

/** Adds a calculation to a pending breach; undefined when it is not deeper by the step. */
export function addDeeperStep<Breach extends Deepening>(
  breach: Breach,
  step: {
    readonly calculation: Calculation;
    readonly tradingMargin: Decimal;
    readonly amounts: Thresholds;
    readonly thresholds: () => MarginData['thresholds'];
    readonly transition: number;
  },
): Breach | undefined {
  const { calculation, tradingMargin, amounts, thresholds, transition } = step;
  const before = deepestOf(breach).tradingMargin;
  if (before === undefined || !isDeeper(tradingMargin, before, amounts)) return undefined;
  const leftOut = (breach.leftOut ?? 0) + Math.max(0, breach.deeper.length + 1 - MAX_DEEPER_STEPS);
  const kept = breach.deeper.slice(0, MAX_DEEPER_STEPS - 1);
  const deeper = [...kept, { calculation, thresholds: thresholds(), transition }];
  return { ...breach, deeper, leftOut: leftOut || undefined };
}

/** The deeper calculations, each with the margin before it. */
export function listDeeperSteps({
  first,
  deeper,
}: Deepening): (DeeperBreach & { readonly previousMargin: Decimal })[] {
  return deeper.map((step, index) => {
    const { tradingMargin: previousMargin = ZERO } = deeper[index - 1]?.calculation ?? first;
    return { previousMargin, ...step };
  });
}
