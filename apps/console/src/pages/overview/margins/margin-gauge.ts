import type { MarginThresholds } from '../../../api/operations.js';
import { toApproximateNumber } from '../../../format/amount.js';

/** Places on the gauge, in percent of its width. */
export interface Gauge {
  readonly breach: number;
  readonly warning: number;
  readonly margin: number;
}

/** Of what the gauge shows, so much is below the lowest and above the highest. */
const SPACE = 0.12;

/** A scale on which the margin and both thresholds have a place. */
export function toGauge(margin: string, { warning, breach }: MarginThresholds): Gauge {
  const values = [margin, warning, breach].map(toApproximateNumber);
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  const placeOf = (text: string): number =>
    Math.round((1_000 * ((toApproximateNumber(text) - low) / span + SPACE)) / (1 + 2 * SPACE)) / 10;
  return { breach: placeOf(breach), warning: placeOf(warning), margin: placeOf(margin) };
}
