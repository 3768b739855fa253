import { ABSENT } from '@ssb/testing/market-records';
import { SettlementOutputDetails } from './settlement-output-details.js';
import { changeAll } from './testing/changes.js';
import { testTable } from './testing/run-table.js';
import { SETTLEMENT_OUTPUT_DETAILS } from './testing/statement-tables.js';

testTable(SETTLEMENT_OUTPUT_DETAILS);

const VARIABLE = 'tradingDays[0].variables[0]';
const values = (count: number): string => JSON.stringify(Array.from({ length: count }, (_, index) => index));

/** Path of each complaint of the strict form, which alone knows the rules told in prose. */
function complaints(changes: Parameters<typeof changeAll>[1]): string[] {
  const wire = changeAll(SETTLEMENT_OUTPUT_DETAILS.record, changes);
  expect(SettlementOutputDetails.readTolerant(wire).ok).toBe(true);
  const reading = SettlementOutputDetails.readStrict(wire);
  return reading.ok ? [] : reading.issues.map(({ path }) => path);
}

describe('settlement details, as prose rules them', () => {
  it.each([
    ['I', 48, []],
    ['I', 47, [`${VARIABLE}.value`]],
    ['I', 0, [`${VARIABLE}.value`]],
    ['DI', 288, []],
    ['DI', 289, [`${VARIABLE}.value`]],
    ['D', 1, []],
    ['M', 31, []],
    ['X', 1, [`${VARIABLE}.granularity`]],
  ])('%s goes with %d values: %j', (granularity, count, expected) => {
    const changes = { [`${VARIABLE}.granularity`]: `"${granularity}"`, [`${VARIABLE}.value`]: values(count) };
    expect(complaints(changes)).toEqual(expected);
  });

  it.each<string | typeof ABSENT>(['null', ABSENT])(
    'a trading interval variable may have no values: %s',
    (value) => {
      expect(complaints({ [`${VARIABLE}.granularity`]: '"I"', [`${VARIABLE}.value`]: value })).toEqual([]);
    },
  );

  it.each([
    ['"2026-02-28T00:00:00"', ['tradingDay']],
    ['"2026-04-01T00:00:00"', ['tradingDay']],
    ['"2026-03-31T23:59:59"', []],
  ])('the trading day lies within the period: %s', (tradingDay, expected) => {
    expect(complaints({ tradingDay })).toEqual(expected);
  });

  it('knows no adjustment of STEM', () => {
    expect(complaints({ marketService: '"STEM"' })).toEqual([]);
    expect(complaints({ marketService: '"STEM"', designation: '"ADJ1"' })).toEqual(['designation']);
  });
});
