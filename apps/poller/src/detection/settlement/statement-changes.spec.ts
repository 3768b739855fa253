import { addDecimals, compareStatements, subtractDecimals, type Decimal } from '@ssb/market';
import fc from 'fast-check';
import { listChanges, shortenChanges } from './statement-changes.js';

const ZERO = '0' as Decimal;

const variable = (index: number, value: string, pOrC = index % 2 === 0 ? 'P' : 'C') => ({
  tradingDay: '2026-03-01T00:00:00',
  variable: `V${index}`,
  pOrC,
  gstApplicable: 'Y',
  value,
});

/** Statements whose variables have all 23 digits of a decimal(23,8). */
const statement = fc.array(
  fc
    .tuple(fc.nat(300), fc.bigInt({ min: 10n ** 22n, max: 10n ** 23n - 1n }), fc.constantFrom('', '-'))
    .map(([index, units, sign]) =>
      variable(index, `${sign}${String(units).slice(0, 15)}.${String(units).slice(15)}`),
    ),
  { maxLength: 250 },
);

it('items and rest add up exactly to the difference of the totals, however few items there are', () => {
  fc.assert(
    fc.property(statement, statement, fc.nat(120), (before, after, maxItems) => {
      const comparison = compareStatements(before, after);
      const all = listChanges(comparison);
      if (all === undefined) throw new Error('The amounts are short.');
      for (const changes of [all, shortenChanges(all, maxItems)]) {
        const { items, rest, count } = changes;
        expect(items.length).toBeLessThanOrEqual(100);
        expect(items.length + rest.count).toBe(count);
        expect(count).toBe(comparison.differences.length);
        for (const [name, pOrC] of [
          ['payment', 'P'],
          ['charge', 'C'],
        ] as const) {
          const listed = items
            .filter((each) => each.pOrC === pOrC)
            .map(({ difference }) => difference as Decimal);
          const sum = [...listed, rest[name] as Decimal].reduce(addDecimals, ZERO);
          expect(subtractDecimals(sum, comparison.totals[name].difference)).toMatch(/^0(\.0+)?$/);
        }
      }
    }),
  );
});

it('a shortened list has the largest changes, and the sums of the others', () => {
  const all = listChanges(
    compareStatements(
      [variable(0, '1.00'), variable(1, '2.00'), variable(2, '0.00000001')],
      [variable(0, '4.00'), variable(1, '7.50')],
    ),
  );
  expect(all).toMatchObject({ count: 3, rest: { count: 0, payment: '0', charge: '0' } });
  expect(all && shortenChanges(all, 1)).toMatchObject({
    count: 3,
    items: [{ variable: 'V1', before: '2.00', after: '7.50', difference: '5.50' }],
    rest: { count: 2, payment: '2.99999999', charge: '0' },
  });
});

it('there are no changes when an amount has more digits than an event may have', () => {
  const long = `0.${'0'.repeat(120)}1`;
  expect(listChanges(compareStatements([], [variable(0, long)]))).toBeUndefined();
});
