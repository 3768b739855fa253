import { SettlementStatementSummary } from './settlement-statement-summary.js';
import { changeAll } from '../../../test/field-table.js';
import { testTable } from '../../../test/run-table.js';
import { SETTLEMENT_STATEMENT_SUMMARY } from '../../../test/statement-tables.js';

testTable(SETTLEMENT_STATEMENT_SUMMARY);

describe('the rules for a statement', () => {
  /** The paths that the strict variant refuses. The tolerant variant accepts all of these records. */
  function findIssues(changes: Parameters<typeof changeAll>[1]): string[] {
    const json = changeAll(SETTLEMENT_STATEMENT_SUMMARY.record, changes);
    expect(SettlementStatementSummary.readTolerant(json).ok).toBe(true);
    const result = SettlementStatementSummary.readStrict(json);
    return result.ok ? [] : result.issues.map(({ path }) => path);
  }

  const SECOND = 'tradingDays[1].tradingDay';
  it.each([
    ['another day', '"2026-03-06T00:00:00"', []],
    ['the same day', '"2026-03-05T00:00:00"', [SECOND]],
    ['another time of the same day', '"2026-03-05T23:59:59"', [SECOND]],
  ])('has one entry per trading day: %s', (_what, tradingDay, expected) => {
    const tradingDays = `[{"tradingDay":"2026-03-05T00:00:00","variables":[]},{"tradingDay":${tradingDay},"variables":[]}]`;
    expect(findIssues({ tradingDays })).toEqual(expected);
  });

  it.each([
    ['before its first', '"2026-03-04T23:59:59"', ['tradingDays[0].tradingDay']],
    ['its first', '"2026-03-05T00:00:00"', []],
    ['its last', '"2026-03-11T23:59:59"', []],
    ['after its last', '"2026-03-12T00:00:00"', ['tradingDays[0].tradingDay']],
    ['of another year', '"2025-03-05T00:00:00"', ['tradingDays[0].tradingDay']],
  ])('has only trading days of its period: a day %s', (_which, tradingDay, expected) => {
    expect(findIssues({ 'tradingDays[0].tradingDay': tradingDay })).toEqual(expected);
  });

  it('has a period that does not end before it begins', () => {
    expect(findIssues({ periodTo: '"2026-03-05T00:00:00"' })).toEqual([]);
    expect(findIssues({ periodTo: '"2026-03-04T00:00:00"' })).toEqual(['periodTo']);
  });
});
