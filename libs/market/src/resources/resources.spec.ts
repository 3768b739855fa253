import { CALCULATION, change, INVOICE, STATEMENT, TIMELINE } from '@ssb/testing/market-records';
import { parseJson } from '../json.js';
import { InvalidRecordError } from '../resource.js';
import { PrudentialCalculation } from './prudential-calculation.js';
import { designationOfRun, SettlementCycleTimeline } from './settlement-cycle-timeline.js';
import { SettlementInvoice } from './settlement-invoice.js';
import { SettlementStatementSummary } from './settlement-statement-summary.js';

describe('a client reads generously', () => {
  it.each([
    ['"2026-03-05"', '2026-03-05T00:00:00'],
    ['"2026-03-05T04:34:56.5Z"', '2026-03-05T12:34:56.5'],
    ['"2026-03-05T22:00:00+10:00"', '2026-03-05T20:00:00'],
  ])('the open date-time %s as market time %s', (sent, expected) => {
    const reading = PrudentialCalculation.readTolerant(change(CALCULATION, 'calculatedAt', sent));
    expect(reading.ok && reading.value.calculatedAt).toBe(expected);
  });

  it.each([
    ['1', true],
    ['0', false],
    ['true', true],
  ])('the flag %s as %s', (sent, expected) => {
    const reading = SettlementInvoice.readTolerant(
      change(INVOICE, 'paymentSummary.settlementRequired', sent),
    );
    expect(reading.ok && reading.value.paymentSummary?.settlementRequired).toBe(expected);
  });

  it('the date 2026-03-12T00:00:00 as a date', () => {
    const reading = SettlementInvoice.readTolerant(change(INVOICE, 'invoiceDate', '"2026-03-12T00:00:00"'));
    expect(reading.ok && reading.value.invoiceDate).toBe('2026-03-12');
  });

  it('and drops what it does not know', () => {
    const reading = PrudentialCalculation.readTolerant(change(CALCULATION, 'surprise', '{ "a": 1 }'));
    expect(reading.ok && Object.keys(reading.value)).not.toContain('surprise');
  });
});

describe('a number in the place of an object', () => {
  it('is none, even where every property is optional', () => {
    for (const read of ['readStrict', 'readTolerant'] as const) {
      const reading = SettlementInvoice[read](change(INVOICE, 'adjustmentSummary', '1'));
      expect(reading.ok ? [] : reading.issues.map(({ path }) => path)).toEqual(['adjustmentSummary']);
    }
  });
});

it('knows no adjustment of STEM', () => {
  const wire = change(STATEMENT.replace('"WEM"', '"STEM"'), 'designation', '"ADJ1"');
  const reading = SettlementStatementSummary.readStrict(wire);
  expect(reading.ok ? [] : reading.issues.map(({ path }) => path)).toEqual(['designation']);
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
