import fc from 'fast-check';
import { change } from '@ssb/testing/market-records';
import { parseJson, serialiseJson } from '../values/json.js';
import type { FieldTable } from '../../test/field-table.js';
import { SETTLEMENT_INVOICE } from '../../test/invoice-table.js';
import { PRUDENTIAL_CALCULATION, SETTLEMENT_OUTPUT } from '../../test/prudential-tables.js';
import { SETTLEMENT_OUTPUT_DETAILS, SETTLEMENT_STATEMENT_SUMMARY } from '../../test/statement-tables.js';

/** Numbers of a decimal(p,s) with up to p digits, more than a double holds. */
const digits = (precision: number, scale: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.boolean(),
      fc.bigInt(0n, 10n ** BigInt(precision - scale) - 1n),
      fc.stringMatching(new RegExp(`^\\d{0,${scale}}$`)),
    )
    .map(([negative, whole, fraction]) => {
      const number = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
      return negative && /[1-9]/.test(number) ? `-${number}` : number;
    });

const DECIMAL_FIELDS: [table: FieldTable<never>, path: string, precision: number, scale: number][] = [
  [PRUDENTIAL_CALCULATION as FieldTable<never>, 'tradingMargin', 60, 20],
  [SETTLEMENT_OUTPUT as FieldTable<never>, 'tradingDays[0].variables[0].value[0]', 23, 8],
  [SETTLEMENT_OUTPUT_DETAILS as FieldTable<never>, 'tradingDays[0].variables[0].value[0]', 23, 8],
  [SETTLEMENT_STATEMENT_SUMMARY as FieldTable<never>, 'tradingDays[0].variables[0].value', 23, 8],
  [SETTLEMENT_INVOICE as FieldTable<never>, 'paymentSummary.payableAmount', 18, 2],
  [SETTLEMENT_INVOICE as FieldTable<never>, 'taxInvoice.total.gst', 28, 2],
];

describe('a decimal field', () => {
  it.each(DECIMAL_FIELDS.map(([table, ...rest]) => [table.resource.name, table, ...rest] as const))(
    'of %s keeps every digit',
    (_, { resource, record }, path, precision, scale) => {
      fc.assert(
        fc.property(digits(precision, scale), (number) => {
          const json = change(record, path, number);
          const text = serialiseJson(json);
          const result = resource.readStrict(parseJson(text));
          return result.ok && resource.serialise(result.value) === text && text.includes(number);
        }),
        { numRuns: 20 },
      );
    },
  );
});
