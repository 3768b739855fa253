import type { Cycle, Run, SettlementCycleTimeline } from '@ssb/market';
import { readTimeline } from './read-timeline.js';
import { runId } from '../settlement/runs.js';
import { RUN, time } from '../../../test/support/settlement.js';

const run = (changes: Partial<Run>): Run => ({
  designation: 'INITIAL',
  commencementDate: RUN.commencementDate,
  statementDate: RUN.statementDate,
  invoiceDate: RUN.invoiceDate,
  settlementDate: RUN.settlementDate,
  ...changes,
});

const cycle = (marketService: 'WEM' | 'NSTEM' | 'STEM', runs: Run[], changes: Partial<Cycle> = {}): Cycle => {
  const { period, periodFrom, periodTo } = RUN;
  return { marketService, period, periodFrom, periodTo, runs, ...changes };
};

const timeline = (marketService: 'WEM' | 'NSTEM' | 'STEM', ...runs: Run[]): SettlementCycleTimeline => {
  return { cycles: [cycle(marketService, runs)] };
};

describe('the runs', () => {
  it('gives a run the names of its cycle', () => {
    expect(readTimeline(timeline('WEM', run({}))).runs).toEqual([RUN]);
  });

  it.each<[string, SettlementCycleTimeline, string[]]>([
    [
      'two runs of a cycle, in order',
      timeline('NSTEM', run({ designation: 'ADJ1' }), run({})),
      ['NSTEM|2026-03-01|ADJ1', 'NSTEM|2026-03-01|INITIAL'],
    ],
    ['STEM without designation', timeline('STEM', run({ designation: null })), ['STEM|2026-03-01|INITIAL']],
    ['STEM with a blank one', timeline('STEM', run({ designation: '  ' })), ['STEM|2026-03-01|INITIAL']],
    ['STEM with INITIAL', timeline('STEM', run({})), ['STEM|2026-03-01|INITIAL']],
    ['a run that is listed twice', timeline('WEM', run({}), run({})), ['WEM|2026-03-01|INITIAL']],
    ['no cycles', { cycles: null }, []],
    ['a cycle without runs', timeline('WEM'), []],
  ])('%s', (_, given, expected) => {
    expect(readTimeline(given).runs.map(runId)).toEqual(expected);
  });

  it('leaves out an absent commencement', () => {
    const [only] = readTimeline(timeline('WEM', run({ commencementDate: null }))).runs;
    expect(only).not.toHaveProperty('commencementDate');
  });

  it('selects the earliest dates of a run that is listed twice, or the known ones, in any order', () => {
    const [first, second] = [run({}), run({ invoiceDate: time('2026-03-16T00:00:00') })];
    const known = readTimeline(timeline('WEM', second)).runs;
    for (const listed of [
      [first, second, first],
      [second, first],
    ]) {
      const reading = readTimeline(timeline('WEM', ...listed));
      expect(reading.runs).toEqual(readTimeline(timeline('WEM', first)).runs);
      expect(reading).toMatchObject({
        unreadable: [],
        contradictions: [{ path: expect.stringContaining('WEM|') as string, reason: 'contradictory-dates' }],
      });
      expect(readTimeline(timeline('WEM', ...listed), [], known).runs).toEqual(known);
    }
    expect(readTimeline(timeline('WEM', first, first)).contradictions).toEqual([]);
  });
});

describe('what cannot be read', () => {
  const BLANK = run({ designation: ' ' });
  const NEXT = { periodFrom: time('2026-03-08T00:00:00') };

  it.each<[string, Cycle[], string[], string[], string[]]>([
    ['nothing', [cycle('WEM', [run({})])], [], [], ['WEM|2026-03-01']],
    [
      'a run without a designation: the other runs of its cycle are used',
      [cycle('WEM', [run({}), BLANK]), cycle('NSTEM', [run({ designation: null })]), cycle('STEM', [BLANK])],
      [],
      [
        'data.cycles[0].runs[1].designation: no-designation',
        'data.cycles[1].runs[0].designation: no-designation',
      ],
      ['STEM|2026-03-01'],
    ],
    [
      'an adjustment of STEM',
      [cycle('STEM', [run({ designation: 'ADJ1' })])],
      [],
      ['data.cycles[0].runs[0].designation: no-designation'],
      [],
    ],
    [
      'a period that is not Unicode: the other cycles are used',
      [cycle('WEM', [run({})], { period: '\ud800' }), cycle('WEM', [run({})], NEXT)],
      [],
      ['data.cycles[0].period: not-unicode'],
      ['WEM|2026-03-08'],
    ],
    [
      'with the indexes of the response',
      [cycle('WEM', [run({}), BLANK]), cycle('WEM', [run({})], { ...NEXT, period: '\ud800' })],
      ['data.cycles[0]', 'data.cycles[2].runs[1]', 'data.cycles[1]'],
      ['data.cycles[2].runs[2].designation: no-designation', 'data.cycles[3].period: not-unicode'],
      [],
    ],
    [
      'an omitted run: its cycle is incomplete',
      [cycle('WEM', [run({})]), cycle('STEM', [run({})])],
      ['data.cycles[0].runs[0]'],
      [],
      ['STEM|2026-03-01'],
    ],
    [
      'one of two cycles of the same period',
      [cycle('WEM', [run({})]), cycle('WEM', [BLANK])],
      [],
      ['data.cycles[1].runs[0].designation: no-designation'],
      [],
    ],
  ])('%s', (_, cycles, omitted, expected, complete) => {
    const { unreadable, completeCycles } = readTimeline({ cycles }, omitted);
    expect(unreadable.map(({ path, reason }) => `${path}: ${reason}`)).toEqual(expected);
    expect([...completeCycles]).toEqual(complete);
  });
});
