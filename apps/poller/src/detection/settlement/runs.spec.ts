import type { Run, SettlementCycleTimeline } from '@ssb/market';
import { earlierRunId, endOfDay, listRuns, runId } from './runs.js';
import { day, RUN, time } from './settlement.fixture.js';

const run = (changes: Partial<Run>): Run => ({
  designation: 'INITIAL',
  commencementDate: RUN.commencementDate,
  statementDate: RUN.statementDate,
  invoiceDate: RUN.invoiceDate,
  settlementDate: RUN.settlementDate,
  ...changes,
});

const timeline = (marketService: 'WEM' | 'NSTEM' | 'STEM', ...runs: Run[]): SettlementCycleTimeline => {
  const { period, periodFrom, periodTo } = RUN;
  return { cycles: [{ marketService, period, periodFrom, periodTo, runs }] };
};

describe('listRuns', () => {
  it('gives a run the names of its cycle', () => {
    expect(listRuns(timeline('WEM', run({})))).toEqual([RUN]);
  });

  it.each<[string, SettlementCycleTimeline, string[]]>([
    [
      'two runs of a cycle, in order',
      timeline('NSTEM', run({ designation: 'ADJ1' }), run({})),
      ['NSTEM|2026-03-01|ADJ1', 'NSTEM|2026-03-01|INITIAL'],
    ],
    ['STEM without designation', timeline('STEM', run({ designation: null })), ['STEM|2026-03-01|INITIAL']],
    ['STEM with a blank one', timeline('STEM', run({ designation: '  ' })), ['STEM|2026-03-01|INITIAL']],
    ['WEM without designation', timeline('WEM', run({ designation: null })), []],
    ['a run that is listed twice', timeline('WEM', run({}), run({})), ['WEM|2026-03-01|INITIAL']],
    ['no cycles', { cycles: null }, []],
    ['a cycle without runs', timeline('WEM'), []],
  ])('%s', (_, given, expected) => {
    expect(listRuns(given).map(runId)).toEqual(expected);
  });

  it('uses the last dates of a run that is listed twice, and leaves out an absent commencement', () => {
    const later = time('2026-03-16T00:00:00');
    const [only, ...others] = listRuns(
      timeline('WEM', run({}), run({ statementDate: later, commencementDate: null })),
    );
    expect(others).toEqual([]);
    expect(only?.statementDate).toBe(later);
    expect(only).not.toHaveProperty('commencementDate');
  });
});

it.each([
  ['INITIAL', undefined],
  ['ADJ1', 'WEM|2026-03-01|INITIAL'],
  ['ADJ3', 'WEM|2026-03-01|ADJ2'],
] as const)('the run before %s is %s', (designation, expected) => {
  expect(earlierRunId({ ...RUN, designation })).toBe(expected);
});

it('a market day ends at 16:00 UTC', () => {
  expect(endOfDay(day('2026-03-12')).toISOString()).toBe('2026-03-12T16:00:00.000Z');
});
