import { CALCULATION, change, INVOICE, STATEMENT, TIMELINE } from '@ssb/testing/market-records';
import { parseJson } from '../values/json.js';
import { InvalidRecordError } from '../schema/resource.js';
import { PrudentialCalculation } from './prudential/prudential-calculation.js';
import { designationOfRun, SettlementCycleTimeline } from './settlement/settlement-cycle-timeline.js';
import { SettlementInvoice } from './invoice/settlement-invoice.js';
import { SettlementStatementSummary } from './settlement/settlement-statement-summary.js';

describe('the tolerant variant', () => {
  it.each([
    ['"2026-03-05"', '2026-03-05T00:00:00'],
    ['"2026-03-05T04:34:56.5Z"', '2026-03-05T12:34:56.5'],
    ['"2026-03-05T22:00:00+10:00"', '2026-03-05T20:00:00'],
  ])('reads the open date-time %s as market time %s', (sent, expected) => {
    const result = PrudentialCalculation.readTolerant(change(CALCULATION, 'calculatedAt', sent));
    expect(result.ok && result.value.calculatedAt).toBe(expected);
  });

  it.each([
    ['1', true],
    ['0', false],
    ['true', true],
  ])('reads the flag %s as %s', (sent, expected) => {
    const result = SettlementInvoice.readTolerant(change(INVOICE, 'paymentSummary.settlementRequired', sent));
    expect(result.ok && result.value.paymentSummary?.settlementRequired).toBe(expected);
  });

  it('reads the date 2026-03-12T00:00:00 as a date', () => {
    const result = SettlementInvoice.readTolerant(change(INVOICE, 'invoiceDate', '"2026-03-12T00:00:00"'));
    expect(result.ok && result.value.invoiceDate).toBe('2026-03-12');
  });

  it('drops unknown properties', () => {
    const result = PrudentialCalculation.readTolerant(change(CALCULATION, 'unknown', '{ "a": 1 }'));
    expect(result.ok && Object.keys(result.value)).not.toContain('unknown');
  });
});

describe('a number in the place of an object', () => {
  it('is refused even when every property is optional', () => {
    for (const read of ['readStrict', 'readTolerant'] as const) {
      const result = SettlementInvoice[read](change(INVOICE, 'adjustmentSummary', '1'));
      expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual(['adjustmentSummary']);
    }
  });
});

it('an adjustment of STEM is refused', () => {
  const json = change(STATEMENT.replace('"WEM"', '"STEM"'), 'designation', '"ADJ1"');
  const result = SettlementStatementSummary.readStrict(json);
  expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual(['designation']);
});

describe('a record that this program writes', () => {
  it('is refused when it breaks document 000', () => {
    const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
    expect(() => SettlementStatementSummary.serialise({ ...statement, runId: 0 })).toThrow(
      InvalidRecordError,
    );
  });

  it('has decimals as text and whole numbers as numbers', () => {
    const statement = SettlementStatementSummary.strict.parse(parseJson(STATEMENT));
    expect(statement.runId).toBe(2147483647);
    expect(statement.tradingDays[0]?.variables[0]?.value).toBe('123456789012345.12345678');
  });

  it.each([
    ['STEM', null, 'INITIAL'],
    ['STEM', '  ', 'INITIAL'],
    ['WEM', 'ADJ2', 'ADJ2'],
    ['NSTEM', null, undefined],
  ] as const)('a run of %s with the designation %j is %s', (marketService, designation, expected) => {
    const timeline = SettlementCycleTimeline.strict.parse(parseJson(TIMELINE));
    const run = timeline.cycles?.[0]?.runs?.[0];
    expect(run && designationOfRun(marketService, { ...run, designation })).toBe(expected);
  });
});
