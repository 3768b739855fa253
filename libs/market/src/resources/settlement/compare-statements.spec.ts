import fc from 'fast-check';
import { addDecimals, parseDecimal, subtractDecimals, type Decimal } from '../../values/decimal.js';
import {
  compareLargeStatements,
  compareStatements,
  sumDifferences,
  type StatementVariable,
} from './compare-statements.js';

const variable = (
  day: number,
  name: string,
  value: string,
  { pOrC = 'P', gstApplicable = 'Y' } = {},
): StatementVariable => ({
  tradingDay: `2026-03-0${day}T00:00:00`,
  variable: name,
  pOrC,
  gstApplicable,
  value,
});

describe('compareStatements', () => {
  it('has what was changed, added and removed, the largest first, with every digit', () => {
    const { differences, totals } = compareStatements(
      [
        variable(1, 'SALE', '123456789012345.12345678'),
        variable(1, 'FEE', '10.50', { pOrC: 'C' }),
        variable(2, 'GONE', '-3', { pOrC: 'C' }),
        variable(2, 'SAME', '1.50'),
      ],
      [
        variable(1, 'SALE', '123456789012345.12345679'),
        variable(1, 'FEE', '7', { pOrC: 'C' }),
        variable(2, 'SAME', '1.5'),
        variable(2, 'NEW', '0.25', { gstApplicable: 'N' }),
      ],
    );
    const of = (day: number) => ({ tradingDay: `2026-03-0${day}T00:00:00`, gstApplicable: 'Y' });
    expect(differences).toEqual([
      {
        ...of(1),
        variable: 'FEE',
        pOrC: 'C',
        before: '10.50',
        after: '7',
        difference: '-3.50',
        share: '51.85',
      },
      { ...of(2), variable: 'GONE', pOrC: 'C', before: '-3', difference: '3', share: '44.44' },
      {
        ...of(2),
        variable: 'NEW',
        pOrC: 'P',
        gstApplicable: 'N',
        after: '0.25',
        difference: '0.25',
        share: '3.70',
      },
      {
        ...of(1),
        variable: 'SALE',
        pOrC: 'P',
        before: '123456789012345.12345678',
        after: '123456789012345.12345679',
        difference: '0.00000001',
        share: '0.00',
      },
    ]);
    expect(totals).toEqual({
      payment: {
        before: '123456789012346.62345678',
        after: '123456789012346.87345679',
        difference: '0.25000001',
      },
      charge: { before: '7.50', after: '7', difference: '-0.50' },
      net: {
        before: '123456789012339.12345678',
        after: '123456789012339.87345679',
        difference: '0.75000001',
      },
    });
  });

  it('orders equal amounts by day, name and kind, whatever the order of the statement is', () => {
    const after = [
      variable(2, 'B', '1'),
      variable(1, 'B', '-1'),
      variable(1, 'B', '1', { pOrC: 'C' }),
      variable(1, 'A', '1', { gstApplicable: 'Y' }),
      variable(1, 'A', '1', { gstApplicable: 'N' }),
    ];
    const order = (variables: readonly StatementVariable[]) =>
      compareStatements([], variables).differences.map(
        ({ tradingDay, variable: name, pOrC, gstApplicable }) =>
          `${tradingDay.slice(9, 10)} ${name} ${pOrC} ${gstApplicable}`,
      );
    expect(order(after)).toEqual(['1 A P N', '1 A P Y', '1 B C Y', '1 B P Y', '2 B P Y']);
    expect(order(after.toReversed())).toEqual(order(after));
  });

  it('adds the amounts of a variable that a statement has twice', () => {
    const twice = [variable(1, 'A', '1.25'), variable(1, 'A', '2')];
    expect(compareStatements(twice, [variable(1, 'A', '3.25')]).differences).toEqual([]);
    expect(compareStatements(twice, [variable(1, 'A', '4')]).differences).toMatchObject([
      { before: '3.25', after: '4', difference: '0.75', share: '100.00' },
    ]);
  });

  it('leaves out an amount of 0 that comes or goes, and compares a day with another time of it', () => {
    const atNoon = { ...variable(1, 'A', '1'), tradingDay: '2026-03-01T12:00:00' };
    const { differences } = compareStatements(
      [variable(1, 'A', '1'), variable(2, 'ZERO', '0.00')],
      [atNoon, variable(2, 'OTHER', '-0')],
    );
    expect(differences).toEqual([]);
  });
});

/** decimal(23,8) as an operator sends it, most with all digits. */
const amount = fc
  .tuple(fc.bigInt({ min: -(10n ** 23n) + 1n, max: 10n ** 23n - 1n }), fc.constantFrom(8, 8, 8, 2, 0))
  .map(([units, scale]) => parseDecimal(`${units}e-${scale}`));

const statement = fc.array(
  fc.record({
    tradingDay: fc.constantFrom('2026-03-01T00:00:00', '2026-03-02T00:00:00'),
    variable: fc.constantFrom('A', 'B', 'C'),
    pOrC: fc.constantFrom('P', 'C'),
    gstApplicable: fc.constantFrom('Y', 'N'),
    value: amount,
  }),
  { maxLength: 40 },
);

const sum = (values: Iterable<Decimal>): Decimal => [...values].reduce(addDecimals, '0' as Decimal);
const isZero = (value: Decimal): boolean => /^-?[0.]+$/.test(value);
const sumOf = (variables: readonly StatementVariable[], pOrC: string): Decimal =>
  sum(variables.filter((each) => each.pOrC === pOrC).map(({ value }) => value as Decimal));

it('the differences add up exactly to the difference of the totals, in any statements', () => {
  fc.assert(
    fc.property(statement, statement, fc.nat(40), (before, after, count) => {
      const { differences, totals } = compareStatements(before, after);
      for (const [name, pOrC] of [
        ['payment', 'P'],
        ['charge', 'C'],
      ] as const) {
        const { before: first, after: last, difference } = totals[name];
        expect([first, last]).toEqual([sumOf(before, pOrC), sumOf(after, pOrC)]);
        expect(difference).toBe(subtractDecimals(last, first));
        const [listed, rest] = [differences.slice(0, count), differences.slice(count)].map(
          (each) => sumDifferences(each)[name],
        );
        expect(isZero(subtractDecimals(difference, sum([listed, rest] as Decimal[])))).toBe(true);
      }
      expect(totals.net.difference).toBe(
        subtractDecimals(totals.payment.difference, totals.charge.difference),
      );
      for (const each of differences) {
        const { before: was = '0' as Decimal, after: is = '0' as Decimal } = each;
        expect(each.difference).toBe(subtractDecimals(is, was));
      }
      const sizes = differences.map((each) => each.difference.replace('-', '').split('.'));
      const units = sizes.map(([whole, fraction = '']) => BigInt(whole + fraction.padEnd(8, '0')));
      expect(units).toEqual(units.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)));
    }),
  );
});

it('a large statement is compared in steps, with the same result', async () => {
  const [before, after] = ['1', '2'].map((value) =>
    Array.from({ length: 25_000 }, (_, index) => variable(1, `V${index}`, value)),
  );
  let pauses = 0;
  const result = await compareLargeStatements(before ?? [], after ?? [], async () => void (pauses += 1));
  expect(result).toEqual(compareStatements(before ?? [], after ?? []));
  expect(result.differences).toHaveLength(25_000);
  // Two in each statement and in the differences, and one before and after the sorting.
  expect(pauses).toBe(8);
});
