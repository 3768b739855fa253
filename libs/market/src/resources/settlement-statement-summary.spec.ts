import { describe, expect, it } from '@jest/globals';
import { SettlementStatementSummary } from './settlement-statement-summary.js';
import { changeAll } from './testing/changes.js';
import { testTable } from './testing/run-table.js';
import { SETTLEMENT_STATEMENT_SUMMARY } from './testing/statement-tables.js';

testTable(SETTLEMENT_STATEMENT_SUMMARY);

describe('a statement, as prose rules it', () => {
  const SECOND = 'tradingDays[1].tradingDay';
  it.each([
    ['another day', '"2026-03-06T00:00:00"', []],
    ['the same day', '"2026-03-05T00:00:00"', [SECOND]],
    ['another time of the same day', '"2026-03-05T23:59:59"', [SECOND]],
  ])('has one entry per trading day: %s', (_what, tradingDay, expected) => {
    const tradingDays = `[{"tradingDay":"2026-03-05T00:00:00","variables":[]},{"tradingDay":${tradingDay},"variables":[]}]`;
    const wire = changeAll(SETTLEMENT_STATEMENT_SUMMARY.record, { tradingDays });
    const reading = SettlementStatementSummary.readStrict(wire);
    expect(reading.ok ? [] : reading.issues.map(({ path }) => path)).toEqual(expected);
    expect(SettlementStatementSummary.readTolerant(wire).ok).toBe(true);
  });
});
