import { parseMarketDateTime, type Run, type SettlementCycleTimeline } from '@ssb/market';
import {
  countPublications,
  fetchKey,
  pendingFetches,
  selectFetches,
  type SettlementFetch,
} from './settlement-fetches.js';

const day = (date: string, time = '00:00:00') => parseMarketDateTime(`${date}T${time}`);
const NOW = day('2026-03-10', '12:00:00');

const run = (changes: Partial<Run>): Run => ({
  designation: 'INITIAL',
  commencementDate: day('2026-03-09'),
  statementDate: day('2026-03-12'),
  invoiceDate: day('2026-03-13'),
  settlementDate: day('2026-03-17'),
  ...changes,
});

const timeline = (marketService: 'WEM' | 'NSTEM' | 'STEM', ...runs: Run[]): SettlementCycleTimeline => ({
  cycles: [
    {
      period: marketService === 'STEM' ? 'TW 10/26' : 'TW 01 Mar 2026',
      marketService,
      periodFrom: day('2026-03-01'),
      periodTo: day('2026-03-07'),
      runs,
    },
  ],
});

const keys = (fetches: readonly SettlementFetch[]): string[] => fetches.map(fetchKey);
const NOTHING_SEEN = new Set<string>();

describe('pendingFetches', () => {
  it.each<[string, SettlementCycleTimeline, string[]]>([
    [
      'a run that has commenced: statement and invoice',
      timeline('WEM', run({})),
      ['statement:WEM|2026-03-01|INITIAL', 'invoice:WEM|2026-03-01|INITIAL'],
    ],
    [
      'a run that commences now',
      timeline('WEM', run({ commencementDate: NOW })),
      ['statement:WEM|2026-03-01|INITIAL', 'invoice:WEM|2026-03-01|INITIAL'],
    ],
    [
      'a run that commences a second later',
      timeline('WEM', run({ commencementDate: day('2026-03-10', '12:00:01') })),
      [],
    ],
    [
      'an adjustment that has commenced before the initial run',
      timeline(
        'NSTEM',
        run({ commencementDate: day('2026-04-01') }),
        run({ designation: 'ADJ1', commencementDate: day('2026-03-10') }),
      ),
      ['statement:NSTEM|2026-03-01|ADJ1', 'invoice:NSTEM|2026-03-01|ADJ1'],
    ],
    [
      'STEM without designation and commencement: from the end of the period',
      timeline('STEM', run({ designation: null, commencementDate: null })),
      ['statement:STEM|2026-03-01|INITIAL', 'invoice:STEM|2026-03-01|INITIAL'],
    ],
    [
      'STEM with a blank designation',
      timeline('STEM', run({ designation: '  ', commencementDate: undefined })),
      ['statement:STEM|2026-03-01|INITIAL', 'invoice:STEM|2026-03-01|INITIAL'],
    ],
    ['a run of WEM without a designation', timeline('WEM', run({ designation: null })), []],
    [
      'the same run listed twice',
      timeline('WEM', run({}), run({})),
      ['statement:WEM|2026-03-01|INITIAL', 'invoice:WEM|2026-03-01|INITIAL'],
    ],
    [
      'two runs: the statements before the invoices',
      timeline('WEM', run({}), run({ designation: 'ADJ1' })),
      [
        'statement:WEM|2026-03-01|INITIAL',
        'statement:WEM|2026-03-01|ADJ1',
        'invoice:WEM|2026-03-01|INITIAL',
        'invoice:WEM|2026-03-01|ADJ1',
      ],
    ],
    ['no cycles', { cycles: null }, []],
    ['a cycle without runs', timeline('WEM'), []],
  ])('%s', (_, given, expected) => {
    expect(keys(pendingFetches(given, NOW, NOTHING_SEEN))).toEqual(expected);
  });

  it('leaves STEM out before the period has ended', () => {
    const early = timeline('STEM', run({ designation: null, commencementDate: null }));
    expect(pendingFetches(early, day('2026-03-06', '23:59:59'), NOTHING_SEEN)).toEqual([]);
  });

  it('returns the invoice when only the statement has been seen, and the other way round', () => {
    const given = timeline('WEM', run({}));
    const [statement = '', invoice = ''] = keys(pendingFetches(given, NOW, NOTHING_SEEN));
    expect(keys(pendingFetches(given, NOW, new Set([statement])))).toEqual([invoice]);
    expect(keys(pendingFetches(given, NOW, new Set([invoice])))).toEqual([statement]);
    expect(pendingFetches(given, NOW, new Set([statement, invoice]))).toEqual([]);
  });
});

describe('selectFetches', () => {
  const fetches = pendingFetches(
    timeline('WEM', run({}), run({ designation: 'ADJ1' }), run({ designation: 'ADJ2' })),
    NOW,
    NOTHING_SEEN,
  );

  it('selects all below the limit', () => {
    expect(selectFetches(fetches, new Map(), 10)).toEqual(fetches);
  });

  it('selects each fetch once before any is repeated', () => {
    const lastFetchedAt = new Map<string, number>();
    const selected = new Set<string>();
    for (const round of [1, 2]) {
      for (const fetch of selectFetches(fetches, lastFetchedAt, 3)) {
        lastFetchedAt.set(fetchKey(fetch), round);
        selected.add(fetchKey(fetch));
      }
    }
    expect(selected.size).toBe(6);
  });

  it('selects the least recently requested fetch first', () => {
    const lastFetchedAt = new Map(keys(fetches).map((key, index) => [key, 100 - index]));
    expect(keys(selectFetches(fetches, lastFetchedAt, 1))).toEqual([keys(fetches).at(-1)]);
  });
});

describe('countPublications', () => {
  const given = timeline(
    'WEM',
    run({ statementDate: day('2026-03-10'), invoiceDate: day('2026-03-11') }),
    run({ designation: 'ADJ1', commencementDate: day('2026-04-01'), statementDate: day('2026-04-02') }),
  );

  it('counts a document as due from its own date, not from the first day on which it is requested', () => {
    expect(countPublications(given, NOW, NOTHING_SEEN)).toEqual({
      statement: { due: 1, published: 0 },
      invoice: { due: 0, published: 0 },
    });
  });

  it('counts a document without a date as not due', () => {
    const undated = timeline(
      'STEM',
      run({ designation: null, commencementDate: null, invoiceDate: undefined }),
    );
    expect(countPublications(undated, day('2026-03-12'), NOTHING_SEEN)).toEqual({
      statement: { due: 1, published: 0 },
      invoice: { due: 0, published: 0 },
    });
  });

  it('counts a seen document as published, also before its date', () => {
    const seen = new Set(['statement:WEM|2026-03-01|INITIAL', 'invoice:WEM|2026-03-01|INITIAL']);
    expect(countPublications(given, NOW, seen)).toEqual({
      statement: { due: 0, published: 1 },
      invoice: { due: 0, published: 1 },
    });
  });
});
