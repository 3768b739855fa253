import { MARGIN_LEVELS, type MarginLevel } from '@ssb/events';
import { addDecimals, compareDecimals, type Decimal } from '@ssb/market';
import type { Thresholds } from './policy.js';

/** The level of a margin. The margin leaves a level when it reaches the threshold plus the hysteresis. */
export function marginLevel(
  margin: Decimal,
  previous: MarginLevel,
  { warning, breach, hysteresis }: Pick<Thresholds, 'warning' | 'breach' | 'hysteresis'>,
): MarginLevel {
  if (isBelow(margin, previous === 'BREACHED' ? addDecimals(breach, hysteresis) : breach)) return 'BREACHED';
  // The warning's hysteresis also applies after a breach. Otherwise a margin just above the warning would alternate between OK and WARNING.
  if (isBelow(margin, previous === 'OK' ? warning : addDecimals(warning, hysteresis))) return 'WARNING';
  return 'OK';
}

export function isWorse(level: MarginLevel, than: MarginLevel): boolean {
  return MARGIN_LEVELS.indexOf(level) > MARGIN_LEVELS.indexOf(than);
}

export function isBelow(amount: Decimal, threshold: Decimal): boolean {
  return compareDecimals(amount, threshold) < 0;
}
