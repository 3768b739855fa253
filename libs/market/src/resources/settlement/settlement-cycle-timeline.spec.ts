import { ABSENT } from '@ssb/testing/market-records';
import { SettlementCycleTimeline } from './settlement-cycle-timeline.js';
import { changeAll } from '../../../test/field-table.js';
import { testTable } from '../../../test/run-table.js';
import { SETTLEMENT_CYCLE_TIMELINE } from '../../../test/timeline-table.js';

testTable(SETTLEMENT_CYCLE_TIMELINE);

const PERIODS = { WEM: '"TW 05 Mar 2026"', NSTEM: '"Mar 2026"', STEM: '"TW 10/26"' };
type Market = keyof typeof PERIODS;

/** The paths that the strict variant refuses, with the first cycle changed to another market. */
function findIssues(market: Market, changes: Parameters<typeof changeAll>[1]): string[] {
  const json = changeAll(SETTLEMENT_CYCLE_TIMELINE.record, {
    'cycles[0].marketService': `"${market}"`,
    'cycles[0].period': PERIODS[market],
    'cycles[0].runs[0].commencementDate': ABSENT,
    ...changes,
  });
  expect(SettlementCycleTimeline.readTolerant(json).ok).toBe(true);
  const result = SettlementCycleTimeline.readStrict(json);
  return result.ok ? [] : result.issues.map(({ path }) => path);
}

describe('the rules for a cycle', () => {
  it.each<[Market, Market]>(
    (['WEM', 'NSTEM', 'STEM'] as const).flatMap((market) =>
      (['WEM', 'NSTEM', 'STEM'] as const).map((label): [Market, Market] => [market, label]),
    ),
  )('%s with a period in the form of %s', (market, label) => {
    const expected = market === label ? [] : ['cycles[0].period'];
    expect(findIssues(market, { 'cycles[0].period': PERIODS[label] })).toEqual(expected);
  });

  it.each<[Market, string]>([
    ['WEM', '"TW 99 Foo 2026"'],
    ['NSTEM', '"Foo 2026"'],
    ['STEM', '"TW 99/26"'],
  ])('%s refuses the period %s', (market, period) => {
    expect(findIssues(market, { 'cycles[0].period': period })).toEqual(['cycles[0].period']);
  });

  it.each([
    ['"2026-03-05T00:00:00"', []],
    ['"2026-03-04T23:59:59"', ['cycles[0].periodTo']],
  ])('a period that begins on 5 March and ends at %s', (periodTo, expected) => {
    expect(findIssues('WEM', { 'cycles[0].periodTo': periodTo })).toEqual(expected);
  });

  it('two runs of one designation are allowed: the document does not forbid them', () => {
    const dates = `"statementDate":"2026-03-13T00:00:00","invoiceDate":"2026-03-16T00:00:00","settlementDate":"2026-03-18T00:00:00"`;
    const runs = (one: string, other: string) =>
      `[{"designation":${one},${dates}},{"designation":${other},${dates}}]`;
    expect(findIssues('WEM', { 'cycles[0].runs': runs('"INITIAL"', '"INITIAL"') })).toEqual([]);
    expect(findIssues('STEM', { 'cycles[0].runs': runs('" "', 'null') })).toEqual([]);
  });

  const DESIGNATION = 'cycles[0].runs[0].designation';
  it.each<[Market, string | typeof ABSENT, string[]]>([
    ['STEM', '"INITIAL"', []],
    ['STEM', '"  "', []],
    ['STEM', 'null', []],
    ['STEM', '"ADJ1"', [DESIGNATION]],
    ['NSTEM', '"ADJ3"', []],
    ['NSTEM', '""', [DESIGNATION]],
    ['WEM', ABSENT, []],
  ])('%s with the designation %s: %j', (market, value, expected) => {
    expect(findIssues(market, { [DESIGNATION]: value })).toEqual(expected);
  });

  const COMMENCEMENT = 'cycles[0].runs[0].commencementDate';
  it.each<[Market, string | typeof ABSENT, string[]]>([
    ['STEM', 'null', []],
    ['STEM', ABSENT, []],
    ['STEM', '"2026-03-12T00:00:00"', [COMMENCEMENT]],
    ['NSTEM', '"2026-03-12T00:00:00"', []],
  ])('%s with the commencement date %s: %j', (market, value, expected) => {
    expect(findIssues(market, { [COMMENCEMENT]: value })).toEqual(expected);
  });
});
