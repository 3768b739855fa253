import { parse } from 'lossless-json';

/** One full record of each resource as JSON text, for tests that break one field at a time. Some figures exceed a double. */
export const STATEMENT = `{
  "runId": 2147483647,
  "publishedAt": "2026-03-10T09:30:00",
  "marketService": "WEM",
  "designation": "INITIAL",
  "period": "TW 05 Mar 2026",
  "periodFrom": "2026-03-05T00:00:00",
  "periodTo": "2026-03-11T00:00:00",
  "participantCode": "PART1",
  "tradingDays": [
    { "tradingDay": "2026-03-05T00:00:00",
      "variables": [
        { "variable": "STEM_SA", "pOrC": "P", "gstApplicable": "Y", "value": 123456789012345.12345678 },
        { "variable": "FEES", "pOrC": "C", "gstApplicable": "N", "value": -0.00000001 } ] }
  ]
}`;

export const CALCULATION = `{
  "participantCode": null,
  "tradingDay": "2026-03-05T00:00:00",
  "prepayment": 0.00,
  "invoiceNotPaid": 1000.10,
  "cumulativeEstimatedExposure": 12345678901234567.89,
  "outstandingAmount": 5.5,
  "creditSupport": 1000000,
  "creditLimit": 900000,
  "tradingLimit": 870000,
  "tradingMargin": 123456789012345678.12,
  "calculatedAt": "2026-03-05T12:34:56",
  "isForecast": false
}`;

export const PRUDENTIAL_SUMMARY = `{
  "participantCode": "PART1",
  "tradingDay": "2026-03-05T00:00:00",
  "outstandingAmount": 12345678901234567.89,
  "tradingMargin": -1.10,
  "calculatedAt": "2026-03-05T12:34:56"
}`;

const LINES = '[{ "code": "ENERGY", "description": "Energy", "amount": 100.00, "gstApplicable": true }]';
const TAX_INVOICE = `{ "id": "TI1", "gstApplicable": ${LINES}, "gstFree": [],
  "total": { "gstExclusive": 100.00, "gst": 10.00, "gstInclusive": 110.00 } }`;
const LINE = '{ "previous": 90.00, "current": 100.00, "adjustment": 10.00 }';
const TAX_INVOICE_ADJUSTMENT = `{
  "gstApplicable": { "gstExclusive": ${LINE}, "gst": ${LINE}, "gstInclusive": ${LINE} }, "gstFree": ${LINE} }`;

export const INVOICE = `{
  "id": "INV-1",
  "reversedId": null,
  "party": { "id": "PART1", "name": "Participant One", "addressLine1": "1 Road", "addressLine2": null, "abn": "11" },
  "invoiceDate": "2026-03-12",
  "dueDate": "2026-03-19",
  "market": "WEM",
  "tradeWeek": "TW 05 Mar 2026",
  "tradeMonth": null,
  "adjustment": 3,
  "title": "Invoice",
  "paymentSummary": {
    "lineItems": ${LINES},
    "total": 1234567890123456.78,
    "prepaymentBalance": { "balance": 0.50, "asAt": "2026-03-12T10:00:00.123" },
    "payableAmount": 110.00,
    "messages": ["Pay in time"],
    "settlementRequired": true
  },
  "recipientCreatedTaxInvoice": ${TAX_INVOICE},
  "taxInvoice": ${TAX_INVOICE},
  "adjustmentSummary": {
    "recipientCreatedTaxInvoiceAdjustment": ${TAX_INVOICE_ADJUSTMENT},
    "taxInvoiceAdjustment": ${TAX_INVOICE_ADJUSTMENT}
  }
}`;

export const TIMELINE = `{
  "cycles": [
    { "period": "TW 05 Mar 2026", "marketService": "WEM",
      "periodFrom": "2026-03-05T00:00:00", "periodTo": "2026-03-11T00:00:00",
      "runs": [
        { "designation": "INITIAL", "commencementDate": "2026-03-12T00:00:00", "statementDate": "2026-03-13T00:00:00",
          "invoiceDate": "2026-03-16T00:00:00", "settlementDate": "2026-03-18T00:00:00" } ] },
    { "period": "TW 10/26", "marketService": "STEM",
      "periodFrom": "2026-03-05T00:00:00", "periodTo": "2026-03-11T00:00:00",
      "runs": [
        { "designation": " ", "commencementDate": null, "statementDate": "2026-03-13T00:00:00",
          "invoiceDate": "2026-03-16T00:00:00", "settlementDate": "2026-03-18T00:00:00" } ] },
    { "period": "Mar 2026", "marketService": "NSTEM",
      "periodFrom": "2026-03-01T00:00:00", "periodTo": "2026-03-31T00:00:00", "runs": null }
  ]
}`;

export const OUTPUT = `{
  "tradingDay": "2026-03-05T00:00:00",
  "tradingDays": [
    { "tradingDay": "2026-03-05T00:00:00",
      "variables": [
        { "variable": "EXPOSURE", "scope": "FACILITY_1", "granularity": "D", "value": [123456789012345.12345678] },
        { "variable": null, "scope": null, "granularity": null, "value": null } ] },
    { "tradingDay": "2026-03-06T00:00:00", "variables": null }
  ]
}`;

export const OUTPUT_DETAILS = `{
  "runId": 1,
  "publishedAt": "2026-03-10T09:30:00",
  "marketService": "NSTEM",
  "designation": "ADJ3",
  "period": "Mar 2026",
  "periodFrom": "2026-03-01T00:00:00",
  "periodTo": "2026-03-31T00:00:00",
  "participantCode": "PART1",
  "tradingDay": "2026-03-05T00:00:00",
  "tradingDays": [
    { "tradingDay": "2026-03-05T00:00:00",
      "variables": [
        { "variable": "CHARGE", "scope": "FACILITY_1", "granularity": "D", "value": [-123456789012345.12345678] },
        { "variable": "FEE", "scope": "FACILITY_1", "granularity": "M", "value": null } ] }
  ]
}`;

/** Marks a property that is removed. */
export const ABSENT = Symbol('absent');

/**
 * The record with one value changed: `change(STATEMENT, 'tradingDays[0].tradingDay', '"x"')`. The new value is JSON text, so that a
 * number keeps its digits.
 */
export function change(record: string, path: string, value: string | typeof ABSENT): unknown {
  const root: unknown = parse(record);
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<Record<string, unknown>>(
    (node, key) => node[key] as Record<string, unknown>,
    root as Record<string, unknown>,
  );
  if (value === ABSENT) delete parent[last];
  else parent[last] = parse(value);
  return root;
}
