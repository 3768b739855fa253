import { ABSENT } from '@ssb/testing/market-records';
import { SettlementCycleTimeline } from './settlement-cycle-timeline.js';
import { changeAll } from './testing/changes.js';
import { testTable } from './testing/run-table.js';
import { SETTLEMENT_CYCLE_TIMELINE } from './testing/timeline-table.js';

testTable(SETTLEMENT_CYCLE_TIMELINE);

const PERIODS = { WEM: '"TW 05 Mar 2026"', NSTEM: '"Mar 2026"', STEM: '"TW 10/26"' };
type Market = keyof typeof PERIODS;

/** Where the strict form complains of the first cycle, played by another market. */
function complaints(market: Market, changes: Parameters<typeof changeAll>[1]): string[] {
  const wire = changeAll(SETTLEMENT_CYCLE_TIMELINE.record, {
    'cycles[0].marketService': `"${market}"`,
    'cycles[0].period': PERIODS[market],
    'cycles[0].runs[0].commencementDate': ABSENT,
    ...changes,
  });
  expect(SettlementCycleTimeline.readTolerant(wire).ok).toBe(true);
  const reading = SettlementCycleTimeline.readStrict(wire);
  return reading.ok ? [] : reading.issues.map(({ path }) => path);
}

describe('a cycle, as prose rules it', () => {
  it.each<[Market, Market]>(
    (['WEM', 'NSTEM', 'STEM'] as const).flatMap((market) =>
      (['WEM', 'NSTEM', 'STEM'] as const).map((label): [Market, Market] => [market, label]),
    ),
  )('%s with a period as %s writes it', (market, label) => {
    const expected = market === label ? [] : ['cycles[0].period'];
    expect(complaints(market, { 'cycles[0].period': PERIODS[label] })).toEqual(expected);
  });

  it.each<[Market, string]>([
    ['WEM', '"TW 99 Foo 2026"'],
    ['NSTEM', '"Foo 2026"'],
    ['STEM', '"TW 99/26"'],
  ])('%s has no period %s', (market, period) => {
    expect(complaints(market, { 'cycles[0].period': period })).toEqual(['cycles[0].period']);
  });

  it.each([
    ['"2026-03-05T00:00:00"', []],
    ['"2026-03-04T23:59:59"', ['cycles[0].periodTo']],
  ])('begins on 5 March and does not end before that, at %s', (periodTo, expected) => {
    expect(complaints('WEM', { 'cycles[0].periodTo': periodTo })).toEqual(expected);
  });

  it('may have two runs of one designation: the document does not say that it has not', () => {
    const dates = `"statementDate":"2026-03-13T00:00:00","invoiceDate":"2026-03-16T00:00:00","settlementDate":"2026-03-18T00:00:00"`;
    const runs = (one: string, other: string) =>
      `[{"designation":${one},${dates}},{"designation":${other},${dates}}]`;
    expect(complaints('WEM', { 'cycles[0].runs': runs('"INITIAL"', '"INITIAL"') })).toEqual([]);
    expect(complaints('STEM', { 'cycles[0].runs': runs('" "', 'null') })).toEqual([]);
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
  ])('%s has a run %s: %j', (market, value, expected) => {
    expect(complaints(market, { [DESIGNATION]: value })).toEqual(expected);
  });

  const COMMENCEMENT = 'cycles[0].runs[0].commencementDate';
  it.each<[Market, string | typeof ABSENT, string[]]>([
    ['STEM', 'null', []],
    ['STEM', ABSENT, []],
    ['STEM', '"2026-03-12T00:00:00"', [COMMENCEMENT]],
    ['NSTEM', '"2026-03-12T00:00:00"', []],
  ])('%s starts at %s: %j', (market, value, expected) => {
    expect(complaints(market, { [COMMENCEMENT]: value })).toEqual(expected);
  });
});
