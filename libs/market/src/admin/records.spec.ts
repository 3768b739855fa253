import { ABSENT, CALCULATION, change, INVOICE } from '@ssb/testing/market-records';
import { InvoiceRecord, PrudentialRecord } from './records.js';

const PRUDENTIAL = `{ "participantCode": "PART1", "calculation": ${CALCULATION} }`;
const INVOICE_RECORD = `{ "participantCode": "PART1", "marketService": "WEM", "periodFrom": "2026-03-05",
  "designation": "ADJ1", "invoice": ${INVOICE} }`;

describe('the records of the operator API', () => {
  it.each<
    [
      Pick<typeof PrudentialRecord | typeof InvoiceRecord, 'readStrict'>,
      string,
      string,
      string | typeof ABSENT,
    ]
  >([
    [PrudentialRecord, PRUDENTIAL, 'participantCode', ABSENT],
    [PrudentialRecord, PRUDENTIAL, 'participantCode', '" "'],
    [PrudentialRecord, PRUDENTIAL, 'calculation.tradingDay', ABSENT],
    [PrudentialRecord, PRUDENTIAL, 'calculation.calculatedAt', ABSENT],
    [PrudentialRecord, PRUDENTIAL, 'calculation.participantCode', '"PART2"'],
    [PrudentialRecord, PRUDENTIAL, 'calculation.unknown', '1'],
    [InvoiceRecord, INVOICE_RECORD, 'marketService', '"NSTEM"'],
    [InvoiceRecord, INVOICE_RECORD, 'periodFrom', '"2026-02-30"'],
    [InvoiceRecord, INVOICE_RECORD, 'designation', 'null'],
    [InvoiceRecord, INVOICE_RECORD, 'invoice.party.unknown', '1'],
    [InvoiceRecord, INVOICE_RECORD, 'invoice.taxInvoice.total.gst', '"1"'],
  ])('case %#: %s is refused at its path', (schema, record, path, value) => {
    const result = schema.readStrict(change(record, path, value));
    const expected = path === 'marketService' ? 'invoice.market' : path;
    expect(result.ok ? [] : result.issues.map((issue) => issue.path)).toEqual([expected]);
  });

  it.each([
    ['INITIAL', '0', true],
    ['INITIAL', 'null', true],
    ['INITIAL', '3', false],
    ['ADJ2', '0', false],
    ['ADJ2', '1', true],
    ['ADJ2', '2', true],
    ['ADJ2', 'null', true],
  ])('%s with version %s of an invoice is valid: %s', (designation, adjustment, isValid) => {
    const record = INVOICE_RECORD.replace('"ADJ1"', `"${designation}"`);
    const result = InvoiceRecord.readStrict(change(record, 'invoice.adjustment', adjustment));
    expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual(
      isValid ? [] : ['invoice.adjustment'],
    );
  });
});
