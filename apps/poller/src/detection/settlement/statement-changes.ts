import { MAX_CHANGE_LENGTH, MAX_STATEMENT_CHANGES, type StatementChanges } from '@ssb/events';
import {
  addDecimals,
  subtractDecimals,
  sumDifferences,
  type Decimal,
  type StatementComparison,
} from '@ssb/market';

const NOTHING = '0' as Decimal;

/** The changes of a revision, the largest ones in full. @returns undefined when an amount has more digits than the event may have */
export function listChanges({ differences, totals }: StatementComparison): StatementChanges | undefined {
  const items = differences.slice(0, MAX_STATEMENT_CHANGES);
  const listed = sumDifferences(items);
  const count = differences.length - items.length;
  // A large statement has too many others to add them up.
  const restOf = (name: 'payment' | 'charge'): Decimal =>
    count === 0 ? NOTHING : subtractDecimals(totals[name].difference, listed[name]);
  const rest = { count, payment: restOf('payment'), charge: restOf('charge') };
  const amounts = [
    ...items.flatMap(({ before = '', after = '', difference }) => [before, after, difference]),
    rest.payment,
    rest.charge,
  ];
  if (amounts.some(({ length }) => length > MAX_CHANGE_LENGTH)) return undefined;
  return { count: differences.length, items, rest };
}

/** The same changes with fewer items: `rest` has the sums of what is left out. */
export function shortenChanges({ count, items, rest }: StatementChanges, maxItems: number): StatementChanges {
  const left = sumDifferences(items.slice(maxItems));
  return {
    count,
    items: items.slice(0, maxItems),
    rest: {
      count: count - Math.min(items.length, maxItems),
      payment: addDecimals(rest.payment as Decimal, left.payment),
      charge: addDecimals(rest.charge as Decimal, left.charge),
    },
  };
}
