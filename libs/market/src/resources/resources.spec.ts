import { describe, expect, it } from '@jest/globals';
import { type WireJson, parseJson, serialiseJson } from '../json.js';
import { InvalidRecordError, type Issue, type Resource } from '../resource.js';
import { ABSENT, change } from '../testing/change.js';
import { CALCULATION, INVOICE, PRUDENTIAL_SUMMARY, STATEMENT, TIMELINE } from '../testing/records.js';
import { PrudentialCalculation } from './prudential-calculation.js';
import { PrudentialCalculationSummary } from './prudential-calculation-summary.js';
import { SettlementCycleTimeline, designationOfRun } from './settlement-cycle-timeline.js';
import { SettlementInvoice } from './settlement-invoice.js';
import { SettlementStatementSummary } from './settlement-statement-summary.js';

const RESOURCES = [
  entry(PrudentialCalculation, CALCULATION),
  entry(PrudentialCalculationSummary, PRUDENTIAL_SUMMARY),
  entry(SettlementStatementSummary, STATEMENT),
  entry(SettlementInvoice, INVOICE),
  entry(SettlementCycleTimeline, TIMELINE),
];

function entry<T>(resource: Resource<T>, record: string) {
  return {
    name: resource.name,
    record,
    readStrict: (wire: WireJson) => resource.readStrict(wire),
    readTolerant: (wire: WireJson) => resource.readTolerant(wire),
    rewrite: (wire: WireJson) => resource.serialise(resource.strict.parse(wire)),
  };
}

function of(name: string) {
  const found = RESOURCES.find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`no resource ${name}`);
  return found;
}

const strictIssues = (name: string, wire: WireJson): readonly Issue[] => {
  const reading = of(name).readStrict(wire);
  return reading.ok ? [] : reading.issues;
};

describe.each(RESOURCES)('$name', ({ record, readStrict, readTolerant, rewrite }) => {
  it('is read in both forms and written with every digit it came with', () => {
    expect(readStrict(parseJson(record))).toMatchObject({ ok: true, unknownProperties: [] });
    expect(readTolerant(parseJson(record))).toMatchObject({ ok: true, unknownProperties: [] });
    expect(rewrite(parseJson(record))).toBe(serialiseJson(parseJson(record)));
  });

  it('refuses an unknown property strictly, and drops and names it tolerantly', () => {
    const wire = change(record, 'surprise', '{ "a": 1 }');
    expect(readStrict(wire)).toEqual({
      ok: false,
      issues: [{ path: 'surprise', message: 'unknown property' }],
    });
    const reading = readTolerant(wire);
    expect(reading).toMatchObject({ ok: true, unknownProperties: ['surprise'] });
    expect(reading.ok && Object.keys(reading.value)).not.toContain('surprise');
  });

  it.each([['null'], ['[]'], ['"text"'], ['1']])('is not %s', (text) => {
    expect(readStrict(parseJson(text)).ok).toBe(false);
  });
});

const long = (length: number): string => JSON.stringify('é'.repeat(length));

/** name, path, what is put there: each must be refused at exactly that path, in both forms. */
const BROKEN: [name: string, path: string, value: string | typeof ABSENT][] = [
  ['PrudentialCalculation', 'participantCode', '1'],
  ['PrudentialCalculation', 'tradingDay', 'null'],
  ['PrudentialCalculation', 'tradingDay', '"2026-02-30T00:00:00"'],
  ['PrudentialCalculation', 'tradingMargin', '"1.5"'],
  ['PrudentialCalculation', 'tradingMargin', '1e999'],
  ['PrudentialCalculation', 'prepayment', 'null'],
  ['PrudentialCalculation', 'isForecast', '1'],
  ['PrudentialCalculationSummary', 'calculatedAt', '"yesterday"'],
  ['SettlementStatementSummary', 'runId', '0'],
  ['SettlementStatementSummary', 'runId', '2147483648'],
  ['SettlementStatementSummary', 'runId', '1.5'],
  ['SettlementStatementSummary', 'runId', '"1"'],
  ['SettlementStatementSummary', 'runId', ABSENT],
  ['SettlementStatementSummary', 'publishedAt', '"2026-03-10T09:30:00.000"'],
  ['SettlementStatementSummary', 'publishedAt', '"2026-03-10T09:30:00Z"'],
  ['SettlementStatementSummary', 'publishedAt', ABSENT],
  ['SettlementStatementSummary', 'marketService', '"FCESS"'],
  ['SettlementStatementSummary', 'marketService', '"wem"'],
  ['SettlementStatementSummary', 'designation', '"ADJ4"'],
  ['SettlementStatementSummary', 'designation', 'null'],
  ['SettlementStatementSummary', 'period', long(41)],
  ['SettlementStatementSummary', 'periodFrom', '"2026-03-05"'],
  ['SettlementStatementSummary', 'periodTo', ABSENT],
  ['SettlementStatementSummary', 'participantCode', long(61)],
  ['SettlementStatementSummary', 'tradingDays', 'null'],
  ['SettlementStatementSummary', 'tradingDays[0].tradingDay', '"2026-03-05"'],
  ['SettlementStatementSummary', 'tradingDays[0].variables', ABSENT],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].variable', long(61)],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].pOrC', '"X"'],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].gstApplicable', '"YES"'],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].value', '0.123456789'],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].value', '1234567890123456.12345678'],
  ['SettlementStatementSummary', 'tradingDays[0].variables[1].value', '[1]'],
  ['SettlementInvoice', 'id', long(21)],
  ['SettlementInvoice', 'id', ABSENT],
  ['SettlementInvoice', 'reversedId', long(21)],
  ['SettlementInvoice', 'party.id', long(51)],
  ['SettlementInvoice', 'party.name', ABSENT],
  ['SettlementInvoice', 'party.addressLine1', long(61)],
  ['SettlementInvoice', 'party.addressLine2', long(41)],
  ['SettlementInvoice', 'party.abn', long(21)],
  ['SettlementInvoice', 'party', 'null'],
  ['SettlementInvoice', 'invoiceDate', '"2026-02-30"'],
  ['SettlementInvoice', 'invoiceDate', '"12/03/2026"'],
  ['SettlementInvoice', 'dueDate', ABSENT],
  ['SettlementInvoice', 'market', ABSENT],
  ['SettlementInvoice', 'market', '"X"'],
  ['SettlementInvoice', 'tradeWeek', long(15)],
  ['SettlementInvoice', 'tradeMonth', long(8)],
  ['SettlementInvoice', 'adjustment', '4'],
  ['SettlementInvoice', 'adjustment', '-1'],
  ['SettlementInvoice', 'title', long(201)],
  ['SettlementInvoice', 'paymentSummary.total', ABSENT],
  ['SettlementInvoice', 'paymentSummary.total', '12345678901234567.89'],
  ['SettlementInvoice', 'paymentSummary.payableAmount', '0.001'],
  ['SettlementInvoice', 'paymentSummary.settlementRequired', '"true"'],
  ['SettlementInvoice', 'paymentSummary.settlementRequired', '2'],
  ['SettlementInvoice', 'paymentSummary.messages[0]', '1'],
  ['SettlementInvoice', 'paymentSummary.prepaymentBalance.asAt', '"2026-03-12T10:00:00"'],
  ['SettlementInvoice', 'paymentSummary.prepaymentBalance.balance', ABSENT],
  ['SettlementInvoice', 'paymentSummary.lineItems[0].code', long(41)],
  ['SettlementInvoice', 'paymentSummary.lineItems[0].description', long(256)],
  ['SettlementInvoice', 'paymentSummary.lineItems[0].amount', ABSENT],
  ['SettlementInvoice', 'paymentSummary.lineItems[0].gstApplicable', '"Y"'],
  ['SettlementInvoice', 'taxInvoice.id', ABSENT],
  ['SettlementInvoice', 'taxInvoice.total.gst', ABSENT],
  ['SettlementInvoice', 'taxInvoice.total.gst', '0.123'],
  ['SettlementInvoice', 'recipientCreatedTaxInvoice.gstFree', '"none"'],
  ['SettlementInvoice', 'adjustmentSummary.taxInvoiceAdjustment.gstFree.previous', ABSENT],
  ['SettlementInvoice', 'adjustmentSummary.taxInvoiceAdjustment.gstApplicable.gst.current', '1.234'],
  ['SettlementCycleTimeline', 'cycles[0].period', long(31)],
  ['SettlementCycleTimeline', 'cycles[0].marketService', ABSENT],
  ['SettlementCycleTimeline', 'cycles[1].periodTo', '"2026-03-11"'],
  ['SettlementCycleTimeline', 'cycles[0].runs[0].designation', '"ADJ4"'],
  ['SettlementCycleTimeline', 'cycles[0].runs[0].commencementDate', '"2026-03-12"'],
  ['SettlementCycleTimeline', 'cycles[0].runs[0].statementDate', ABSENT],
  ['SettlementCycleTimeline', 'cycles[0].runs[0].invoiceDate', 'null'],
  ['SettlementCycleTimeline', 'cycles[0].runs[0].settlementDate', '"2026-06-31T00:00:00"'],
];

describe('what the field tables forbid', () => {
  it.each(BROKEN)('%s: %s', (name, path, value) => {
    const { record, readStrict, readTolerant } = of(name);
    for (const reading of [
      readStrict(change(record, path, value)),
      readTolerant(change(record, path, value)),
    ]) {
      expect(new Set(reading.ok ? [] : reading.issues.map((issue) => issue.path))).toEqual(new Set([path]));
    }
  });
});

describe('what the field tables leave open', () => {
  it.each<[name: string, path: string, value: string | typeof ABSENT]>([
    ['PrudentialCalculation', 'tradingMargin', ABSENT],
    ['PrudentialCalculation', 'participantCode', ABSENT],
    ['SettlementStatementSummary', 'runId', '1'],
    ['SettlementStatementSummary', 'period', long(40)],
    ['SettlementStatementSummary', 'tradingDays[0].variables', '[]'],
    ['SettlementInvoice', 'party', ABSENT],
    ['SettlementInvoice', 'adjustment', 'null'],
    ['SettlementInvoice', 'paymentSummary.lineItems', 'null'],
    ['SettlementInvoice', 'taxInvoice.total', ABSENT],
    ['SettlementInvoice', 'adjustmentSummary', '{}'],
    ['SettlementCycleTimeline', 'cycles', 'null'],
    ['SettlementCycleTimeline', 'cycles', ABSENT],
    ['SettlementCycleTimeline', 'cycles[1].runs[0].designation', 'null'],
    ['SettlementCycleTimeline', 'cycles[1].runs[0].designation', '"INITIAL"'],
  ])('%s: %s', (name, path, value) => {
    expect(strictIssues(name, change(of(name).record, path, value))).toEqual([]);
  });
});

describe('what the document says in prose is a rule of the strict form only', () => {
  it.each([
    ['SettlementInvoice', 'tradeWeek', '"2026-10"', 'tradeWeek'],
    ['SettlementInvoice', 'tradeMonth', '"2026-03"', 'tradeMonth'],
    ['SettlementInvoice', 'invoiceDate', '"2026-03-12T00:00:00"', 'invoiceDate'],
    ['SettlementInvoice', 'paymentSummary.settlementRequired', '1', 'paymentSummary.settlementRequired'],
    ['SettlementCycleTimeline', 'cycles[0].period', '"Mar 2026"', 'cycles[0].period'],
    ['SettlementCycleTimeline', 'cycles[0].runs[0].designation', '" "', 'cycles[0].runs[0].designation'],
    ['SettlementCycleTimeline', 'cycles[1].runs[0].designation', '"ADJ1"', 'cycles[1].runs[0].designation'],
    ['PrudentialCalculation', 'tradingDay', '"2026-03-05"', 'tradingDay'],
    ['PrudentialCalculation', 'calculatedAt', '"2026-03-05T04:34:56.5Z"', 'calculatedAt'],
  ])('%s: %s = %s', (name, path, value, refusedAt) => {
    const wire = change(of(name).record, path, value);
    expect(strictIssues(name, wire).map((issue) => issue.path)).toEqual([refusedAt]);
    expect(of(name).readTolerant(wire).ok).toBe(true);
  });

  it('knows no adjustment of STEM', () => {
    const wire = change(STATEMENT.replace('"WEM"', '"STEM"'), 'designation', '"ADJ1"');
    expect(strictIssues('SettlementStatementSummary', wire).map(({ path }) => path)).toEqual(['designation']);
  });

  it.each([
    ['"2026-03-05"', '2026-03-05T00:00:00'],
    ['"2026-03-05T04:34:56.5Z"', '2026-03-05T12:34:56.5'],
    ['"2026-03-05T22:00:00+10:00"', '2026-03-05T20:00:00'],
  ])('reads the open date-time %s as market time %s', (sent, expected) => {
    const reading = PrudentialCalculation.readTolerant(change(CALCULATION, 'calculatedAt', sent));
    expect(reading.ok && reading.value.calculatedAt).toBe(expected);
  });
});

describe('a record of our own', () => {
  it('cannot be written when the document does not allow it', () => {
    const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
    expect(() => SettlementStatementSummary.serialise({ ...statement, runId: 0 })).toThrow(
      InvalidRecordError,
    );
  });

  it('holds decimals as text and whole numbers as numbers', () => {
    const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
    expect(statement.runId).toBe(2147483647);
    expect(statement.tradingDays[0]?.variables[0]?.value).toBe('123456789012345.12345678');
  });

  it.each([
    ['STEM', null, 'INITIAL'],
    ['STEM', '  ', 'INITIAL'],
    ['WEM', 'ADJ2', 'ADJ2'],
    ['NSTEM', null, undefined],
  ] as const)('names the run of %s called %j', (marketService, designation, expected) => {
    const timeline = SettlementCycleTimeline.strict.parse(parseJson(TIMELINE));
    const run = timeline.cycles?.[0]?.runs?.[0];
    expect(run && designationOfRun(marketService, { ...run, designation })).toBe(expected);
  });
});
