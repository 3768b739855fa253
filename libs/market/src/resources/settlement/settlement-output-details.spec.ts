import { ABSENT } from '@ssb/testing/market-records';
import { SettlementOutputDetails } from './settlement-output-details.js';
import { changeAll } from '../../../test/field-table.js';
import { testTable } from '../../../test/run-table.js';
import { SETTLEMENT_OUTPUT_DETAILS } from '../../../test/statement-tables.js';

testTable(SETTLEMENT_OUTPUT_DETAILS);

const VARIABLE = 'tradingDays[0].variables[0]';
const values = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, index) => index));

/** The paths that the strict variant refuses. */
function findIssues(changes: Parameters<typeof changeAll>[1]): string[] {
  const json = changeAll(SETTLEMENT_OUTPUT_DETAILS.record, changes);
  expect(SettlementOutputDetails.readTolerant(json).ok).toBe(true);
  const result = SettlementOutputDetails.readStrict(json);
  return result.ok ? [] : result.issues.map(({ path }) => path);
}

describe('the rules for settlement details', () => {
  it.each([
    ['I', 48, []],
    ['I', 47, [`${VARIABLE}.value`]],
    ['I', 0, [`${VARIABLE}.value`]],
    ['DI', 288, []],
    ['DI', 289, [`${VARIABLE}.value`]],
    ['D', 1, []],
    ['M', 31, []],
    ['X', 1, [`${VARIABLE}.granularity`]],
  ])('granularity %s with %d values: %j', (granularity, count, expected) => {
    const changes = { [`${VARIABLE}.granularity`]: `"${granularity}"`, [`${VARIABLE}.value`]: values(count) };
    expect(findIssues(changes)).toEqual(expected);
  });

  it.each<string | typeof ABSENT>(['null', ABSENT])(
    'a trading interval variable can have no values: %s',
    (value) => {
      expect(findIssues({ [`${VARIABLE}.granularity`]: '"I"', [`${VARIABLE}.value`]: value })).toEqual([]);
    },
  );

  it.each([
    ['"2026-02-28T00:00:00"', ['tradingDay']],
    ['"2026-04-01T00:00:00"', ['tradingDay']],
    ['"2026-03-31T23:59:59"', []],
  ])('the trading day is within the period: %s', (tradingDay, expected) => {
    expect(findIssues({ tradingDay })).toEqual(expected);
  });

  it('refuses an adjustment of STEM', () => {
    expect(findIssues({ marketService: '"STEM"' })).toEqual([]);
    expect(findIssues({ marketService: '"STEM"', designation: '"ADJ1"' })).toEqual(['designation']);
  });
});
