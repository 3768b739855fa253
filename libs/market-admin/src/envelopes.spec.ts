import { ABSENT, CALCULATION, change, INVOICE } from '@ssb/testing/market-records';
import { InvoiceLoad, PrudentialLoad } from './envelopes.js';

const PRUDENTIAL = `{ "participantCode": "PART1", "calculation": ${CALCULATION} }`;
const INVOICE_LOAD = `{ "participantCode": "PART1", "marketService": "WEM", "periodFrom": "2026-03-05",
  "designation": "ADJ1", "invoice": ${INVOICE} }`;

describe('what stands around a record', () => {
  it.each<
    [Pick<typeof PrudentialLoad | typeof InvoiceLoad, 'readStrict'>, string, string, string | typeof ABSENT]
  >([
    [PrudentialLoad, PRUDENTIAL, 'participantCode', ABSENT],
    [PrudentialLoad, PRUDENTIAL, 'participantCode', '" "'],
    [PrudentialLoad, PRUDENTIAL, 'calculation.tradingDay', ABSENT],
    [PrudentialLoad, PRUDENTIAL, 'calculation.calculatedAt', ABSENT],
    [PrudentialLoad, PRUDENTIAL, 'calculation.participantCode', '"PART2"'],
    [PrudentialLoad, PRUDENTIAL, 'calculation.surprise', '1'],
    [InvoiceLoad, INVOICE_LOAD, 'marketService', '"NSTEM"'],
    [InvoiceLoad, INVOICE_LOAD, 'periodFrom', '"2026-02-30"'],
    [InvoiceLoad, INVOICE_LOAD, 'designation', 'null'],
    [InvoiceLoad, INVOICE_LOAD, 'invoice.party.surprise', '1'],
    [InvoiceLoad, INVOICE_LOAD, 'invoice.taxInvoice.total.gst', '"1"'],
  ])('%#: %s is broken at %s', (load, record, path, value) => {
    const reading = load.readStrict(change(record, path, value));
    const expected = path === 'marketService' ? 'invoice.market' : path;
    expect(reading.ok ? [] : reading.issues.map((issue) => issue.path)).toEqual([expected]);
  });

  it.each([
    ['INITIAL', '0', true],
    ['INITIAL', 'null', true],
    ['INITIAL', '3', false],
    ['ADJ2', '0', false],
    ['ADJ2', '1', true],
    ['ADJ2', '2', true],
    ['ADJ2', 'null', true],
  ])('%s goes with version %s of an invoice: %s', (designation, adjustment, fits) => {
    const load = INVOICE_LOAD.replace('"ADJ1"', `"${designation}"`);
    const reading = InvoiceLoad.readStrict(change(load, 'invoice.adjustment', adjustment));
    expect(reading.ok ? [] : reading.issues.map(({ path }) => path)).toEqual(
      fits ? [] : ['invoice.adjustment'],
    );
  });

  it.each([
    ['PrudentialLoad', PrudentialLoad.readStrict(change(PRUDENTIAL, 'calculation.participantCode', 'null'))],
    ['InvoiceLoad', InvoiceLoad.readStrict(change(INVOICE_LOAD, 'designation', '"ADJ3"'))],
  ])('%s is taken as it should be', (_, reading) => {
    expect(reading.ok).toBe(true);
  });
});
