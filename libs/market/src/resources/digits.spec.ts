import fc from 'fast-check';
import { change } from '@ssb/testing/market-records';
import { parseJson, serialiseJson } from '../json.js';
import type { FieldTable } from './testing/field-table.js';
import { SETTLEMENT_INVOICE } from './testing/invoice-table.js';
import { PRUDENTIAL_CALCULATION, SETTLEMENT_OUTPUT } from './testing/prudential-tables.js';
import { SETTLEMENT_OUTPUT_DETAILS, SETTLEMENT_STATEMENT_SUMMARY } from './testing/statement-tables.js';

/** The digits of a decimal(p,s), as many as there may be: a double would lose some of them. */
const digits = (precision: number, scale: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.boolean(),
      fc.bigInt(0n, 10n ** BigInt(precision - scale) - 1n),
      fc.stringMatching(new RegExp(`^\\d{0,${scale}}$`)),
    )
    .map(([negative, whole, fraction]) => {
      const written = fraction === '' ? `${whole}` : `${whole}.${fraction}`;
      return negative && /[1-9]/.test(written) ? `-${written}` : written;
    });

const PLACES: [table: FieldTable<never>, path: string, precision: number, scale: number][] = [
  [PRUDENTIAL_CALCULATION as FieldTable<never>, 'tradingMargin', 60, 20],
  [SETTLEMENT_OUTPUT as FieldTable<never>, 'tradingDays[0].variables[0].value[0]', 23, 8],
  [SETTLEMENT_OUTPUT_DETAILS as FieldTable<never>, 'tradingDays[0].variables[0].value[0]', 23, 8],
  [SETTLEMENT_STATEMENT_SUMMARY as FieldTable<never>, 'tradingDays[0].variables[0].value', 23, 8],
  [SETTLEMENT_INVOICE as FieldTable<never>, 'paymentSummary.payableAmount', 18, 2],
  [SETTLEMENT_INVOICE as FieldTable<never>, 'taxInvoice.total.gst', 28, 2],
];

describe('digits', () => {
  it.each(PLACES.map(([table, ...rest]) => [table.resource.name, table, ...rest] as const))(
    '%s: a number read and written has the same ones',
    (_, { resource, record }, path, precision, scale) => {
      fc.assert(
        fc.property(digits(precision, scale), (number) => {
          const wire = change(record, path, number);
          const text = serialiseJson(wire);
          const reading = resource.readStrict(parseJson(text));
          return reading.ok && resource.serialise(reading.value) === text && text.includes(number);
        }),
      );
    },
  );
});
