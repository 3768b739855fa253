import { sum } from './amount.js';
import type { Chance } from './chance.js';

/**
 * Shares of a total in proportion to the weights. Each share ends where the rounded running total ends, so their sum is the
 * total to the last unit.
 *
 * @param weights positive
 */
export function sharesOf(total: bigint, weights: readonly bigint[]): bigint[] {
  const whole = sum(weights);
  let weighed = 0n;
  let given = 0n;
  return weights.map((weight) => {
    weighed += weight;
    const share = (total * weighed) / whole - given;
    given += share;
    return share;
  });
}

/** How an ordinary day runs, hour by hour: low at night, highest in the early evening. */
const HOURS = [
  60, 55, 52, 50, 52, 60, 80, 100, 95, 85, 78, 72, 70, 72, 78, 90, 110, 130, 140, 135, 120, 100, 85, 70,
];

/** One weight for each of the day's equal intervals, a little uneven by chance. */
export function dayShape(intervals: number, chance: Chance): bigint[] {
  return Array.from({ length: intervals }, (_, index) => {
    const hour = HOURS[Math.floor((index * HOURS.length) / intervals)] ?? 1;
    return BigInt(hour) * chance.between(90n, 110n);
  });
}
