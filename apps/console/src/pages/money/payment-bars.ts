import type { PaymentTotals } from '../../api/operations.js';
import { toApproximateNumber } from '../../format/amount.js';

type Sums = Pick<PaymentTotals, 'payable' | 'receivable'>;

/** Lengths of bars, in percent of the longest. */
export interface Bars {
  readonly pay: number;
  readonly receive: number;
}

/** The longest bar of a listing. */
export function largestOf(days: readonly Sums[]): number {
  return days.reduce(
    (largest, { payable, receivable }) =>
      Math.max(largest, toApproximateNumber(payable), toApproximateNumber(receivable)),
    0,
  );
}

/** An amount above zero has a bar that can be seen. */
export function toBars({ payable, receivable }: Sums, largest: number): Bars {
  const lengthOf = (text: string): number => {
    const amount = toApproximateNumber(text);
    return amount <= 0 || largest <= 0 ? 0 : Math.max(1, (100 * amount) / largest);
  };
  return { pay: lengthOf(payable), receive: lengthOf(receivable) };
}
