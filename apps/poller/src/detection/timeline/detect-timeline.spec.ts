import type { Fact } from '@ssb/events';
import type { Run, SettlementCycleTimeline } from '@ssb/market';
import { detectTimeline } from './detect-timeline.js';
import { MAX_TIMELINE_RUNS, type InvoiceDays } from './limit-runs.js';
import type { SettlementRun } from '../settlement/runs.js';
import {
  afterMinutes,
  at,
  dataOf,
  day,
  idsOf,
  play,
  RUN,
  time,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, NEW_TIMELINE, parseTimelineState, type TimelineState } from '../settlement/states.js';

const FORM = { parse: parseTimelineState, format: formatState };
const WINDOW: InvoiceDays = { from: day('2026-03-01'), to: day('2026-03-31') };

/** A run of WEM whose period begins on this day of March. */
const runOf = (dayOfMarch: string, changes: Partial<SettlementRun> = {}): SettlementRun => ({
  ...RUN,
  periodFrom: time(`2026-03-${dayOfMarch}T00:00:00`),
  ...changes,
});
const invoiceOn = (date: string): Partial<SettlementRun> => ({ invoiceDate: time(`${date}T00:00:00`) });

const timelineOf = (runs: readonly SettlementRun[]): SettlementCycleTimeline => ({
  cycles: runs.map(({ marketService, period, periodFrom, periodTo, ...run }) => ({
    marketService,
    period,
    periodFrom,
    periodTo,
    runs: [run satisfies Run],
  })),
});

const serve =
  (
    runs: readonly SettlementRun[],
    { window = WINDOW, omitted = [] }: { window?: InvoiceDays; omitted?: string[] } = {},
  ): Step<TimelineState> =>
  (state) =>
    detectTimeline(state, timelineOf(runs), omitted, window, at('2026-03-10T12:00:00'));
const serveAt =
  (runs: readonly SettlementRun[], minutes: number): Step<TimelineState> =>
  (state) =>
    detectTimeline(state, timelineOf(runs), [], WINDOW, at(afterMinutes(minutes)));
const INCOMPLETE = { omitted: ['data.cycles[99]'] };

/** The changes of each step, such as `moved WEM 2026-03-01 INITIAL`. */
function listChanges(...steps: Step<TimelineState>[]): string[] {
  return play(FORM, undefined, ...steps).flatMap((facts, index) =>
    dataOf('settlementbus.timeline.changed.v1', facts).flatMap(({ changes }) =>
      changes.map(
        ({ kind, periodFrom, designation }) => `${index}: ${kind} ${periodFrom.slice(0, 10)} ${designation}`,
      ),
    ),
  );
}

const FIRST = runOf('01');
const adjusted = (dayOfMarch: string): SettlementRun => runOf(dayOfMarch, { designation: 'ADJ1' });
const SECOND = runOf('08');

it('lists the old and the new of each date that moved', () => {
  const moved = { ...FIRST, commencementDate: undefined, ...invoiceOn('2026-03-16') };
  const [, facts] = play(FORM, undefined, serve([FIRST]), serve([moved]));
  const names = {
    marketService: 'WEM',
    designation: 'INITIAL',
    period: 'TW 01 Mar 2026',
    periodFrom: '2026-03-01T00:00:00',
    periodTo: '2026-03-07T00:00:00',
  };
  expect(facts).toEqual([
    {
      type: 'settlementbus.timeline.changed.v1',
      data: {
        changes: [
          { kind: 'moved', ...names, date: 'commencementDate', from: '2026-03-09T00:00:00' },
          {
            kind: 'moved',
            ...names,
            date: 'invoiceDate',
            from: '2026-03-13T00:00:00',
            to: '2026-03-16T00:00:00',
          },
        ],
        count: 2,
        revision: 1,
        // Computed with another implementation of RFC 8785.
        digest: '676065dc9a5889d900d7ec3f6eb8046c7fcb7e0d6d2d70d7bcfbdf573955b326',
      },
    },
  ]);
});

describe('what is a change', () => {
  const april: InvoiceDays = { from: day('2026-03-14'), to: day('2026-04-13') };

  it.each<[string, Step<TimelineState>[], string[]]>([
    ['the first timeline', [serve([FIRST, SECOND])], []],
    ['the first timeline with runs', [serve([]), serve([FIRST, SECOND])], []],
    [
      'a run after all others were gone',
      [serve([FIRST]), serve([]), serve([SECOND])],
      ['1: removed 2026-03-01 INITIAL', '2: added 2026-03-08 INITIAL'],
    ],
    ['another period name', [serve([FIRST]), serve([runOf('01', { period: 'TW 01 MAR 2026' })])], []],
    [
      'another end of the period',
      [serve([FIRST]), serve([runOf('01', { periodTo: time('2026-03-08T00:00:00') })])],
      ['1: moved 2026-03-01 INITIAL'],
    ],
    ['a new run', [serve([FIRST]), serve([FIRST, SECOND])], ['1: added 2026-03-08 INITIAL']],
    ['a run that is gone', [serve([FIRST, SECOND]), serve([SECOND])], ['1: removed 2026-03-01 INITIAL']],
    ['all runs gone', [serve([FIRST]), serve([])], ['1: removed 2026-03-01 INITIAL']],
    [
      'several, by period and designation',
      [
        serve([SECOND, runOf('15')]),
        serve([
          runOf('08', { settlementDate: time('2026-03-18T00:00:00') }),
          runOf('01', { designation: 'ADJ1' }),
          FIRST,
        ]),
      ],
      [
        '1: added 2026-03-01 ADJ1',
        '1: added 2026-03-01 INITIAL',
        '1: moved 2026-03-08 INITIAL',
        '1: removed 2026-03-15 INITIAL',
      ],
    ],
    ['a run that leaves the window', [serve([FIRST]), serve([], { window: april })], []],
    [
      'a run that enters the window',
      [serve([FIRST]), serve([runOf('15', invoiceOn('2026-04-10'))], { window: april })],
      [],
    ],
    [
      'a run outside the window, as another run of its cycle',
      [serve([FIRST, runOf('01', { designation: 'ADJ1', ...invoiceOn('2026-06-10') })]), serve([FIRST])],
      [],
    ],
    [
      'a date of a run outside the window',
      [serve([runOf('15', invoiceOn('2026-06-10'))]), serve([runOf('15', invoiceOn('2026-06-11'))])],
      ['1: moved 2026-03-15 INITIAL'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(listChanges(...steps)).toEqual(expected);
  });
});

describe('a run that was announced as removed', () => {
  const later = runOf('01', invoiceOn('2026-04-20'));
  const april: InvoiceDays = { from: day('2026-03-20'), to: day('2026-04-30') };
  const REMOVED = '1: removed 2026-03-01 INITIAL';

  it.each<[string, Step<TimelineState>[], string[]]>([
    [
      'comes back beyond the days that were requested',
      [serve([FIRST]), serve([]), serve([later], { window: april })],
      [REMOVED, '2: moved 2026-03-01 INITIAL'],
    ],
    [
      'comes back in the requested days',
      [serve([FIRST]), serve([]), serve([runOf('01', invoiceOn('2026-03-20'))])],
      [REMOVED, '2: moved 2026-03-01 INITIAL'],
    ],
    [
      'comes back unchanged',
      [serve([FIRST]), serve([]), serve([FIRST])],
      [REMOVED, '2: added 2026-03-01 INITIAL'],
    ],
    [
      'comes back in an incomplete response',
      [serve([FIRST]), serve([]), serve([], INCOMPLETE), serve([later], INCOMPLETE)],
      [REMOVED, '3: moved 2026-03-01 INITIAL'],
    ],
    [
      'goes again',
      [serve([FIRST]), serve([]), serve([FIRST]), serveAt([], 0), serveAt([], 60)],
      [REMOVED, '2: added 2026-03-01 INITIAL', '4: removed 2026-03-01 INITIAL'],
    ],
  ])('%s', (_, steps, expected) => {
    expect(listChanges(...steps)).toEqual(expected);
  });

  it('is listed apart until its last known date has passed', () => {
    const { state } = serve([])(serve([FIRST])(undefined).state);
    expect([state.runs, state.vanished]).toEqual([[], [FIRST]]);
    const on = (now: string) => detectTimeline(state, timelineOf([]), [], WINDOW, at(now)).state;
    expect(on('2026-03-17T23:59:59').vanished).toEqual([FIRST]);
    expect(on('2026-03-18T00:00:00')).not.toHaveProperty('vanished');
  });
});

describe('an incomplete response', () => {
  it.each<[string, Step<TimelineState>[], string[]]>([
    ['removes nothing', [serve([FIRST, SECOND]), serve([SECOND], INCOMPLETE)], []],
    [
      'keeps the dates of the runs that it lacks',
      [
        serve([FIRST, SECOND]),
        serve([SECOND], INCOMPLETE),
        serve([runOf('01', invoiceOn('2026-03-14')), SECOND]),
      ],
      ['2: moved 2026-03-01 INITIAL'],
    ],
    [
      'a run that is gone is found by the next complete one',
      [serve([FIRST, SECOND]), serve([SECOND], INCOMPLETE), serve([SECOND])],
      ['2: removed 2026-03-01 INITIAL'],
    ],
    [
      'finds what moved and what was added',
      [serve([FIRST]), serve([runOf('01', invoiceOn('2026-03-14')), SECOND], INCOMPLETE)],
      ['1: moved 2026-03-01 INITIAL', '1: added 2026-03-08 INITIAL'],
    ],
    [
      'removes a run whose cycle can be read without it, once',
      [
        serve([FIRST, adjusted('01'), SECOND]),
        serve([FIRST], INCOMPLETE),
        serve([FIRST], INCOMPLETE),
        serve([FIRST, SECOND]),
      ],
      ['1: removed 2026-03-01 ADJ1'],
    ],
    [
      'removes no run of a cycle that lacks one',
      [serve([FIRST, adjusted('01')]), serve([FIRST], { omitted: ['data.cycles[0].runs[1]'] })],
      [],
    ],
    [
      'as the first: what it lacked is not an addition',
      [serve([FIRST], INCOMPLETE), serve([FIRST, SECOND])],
      [],
    ],
  ])('%s', (_, steps, expected) => {
    expect(listChanges(...steps)).toEqual(expected);
  });
});

describe('dates that move to and fro', () => {
  const moved = runOf('01', invoiceOn('2026-03-16'));

  it('are changes with ids of their own, the third once it is stable', () => {
    const steps = [serveAt([FIRST], 0), serveAt([moved], 1), serveAt([FIRST], 2)];
    const stable = [serveAt([moved], 3), serveAt([moved], 63)];
    const facts = play(FORM, undefined, ...steps, ...stable);
    expect(facts.map(({ length }) => length)).toEqual([0, 1, 1, 0, 1]);
    const changes = dataOf('settlementbus.timeline.changed.v1', facts.flat());
    expect(changes.map(({ revision }) => revision)).toEqual([1, 2, 3]);
    expect(changes[2]?.digest).toBe(changes[0]?.digest);
    expect(new Set(idsOf(facts.flat())).size).toBe(3);
  });

  it('in each of 100 responses are two changes and one report, and a real change is announced at once', () => {
    let state: TimelineState | undefined;
    const facts: Fact[] = [];
    const reports = new Set<string>();
    const runsOf = (index: number): SettlementRun[] => [
      index % 2 === 0 ? FIRST : moved,
      index < 80 ? SECOND : runOf('08', invoiceOn('2026-03-18')),
    ];
    for (let index = 0; index < 100; index += 1) {
      const detected = serveAt(runsOf(index), index)(state);
      ({ state } = detected);
      facts.push(...detected.facts);
      if (index >= 3) reports.add(detected.unreadable.map(({ path, reason }) => `${path} ${reason}`).join());
    }
    const changes = dataOf('settlementbus.timeline.changed.v1', facts);
    expect(changes.map(({ changes }) => changes.map(({ to }) => to))).toEqual([
      ['2026-03-16T00:00:00'],
      ['2026-03-13T00:00:00'],
      ['2026-03-18T00:00:00'],
    ]);
    expect([...reports]).toEqual(['data.cycles[WEM|2026-03-01|INITIAL] alternating-dates']);
    expect(parseTimelineState(formatState(state ?? NEW_TIMELINE))).toEqual(state);
  });

  it('within one response are not a change, and are reported', () => {
    const [first, second] = [serve([FIRST, moved]), serve([moved, FIRST])];
    expect(play(FORM, undefined, serve([moved]), first, second, first).flat()).toEqual([]);
    expect(first(undefined).unreadable).toEqual([
      { path: 'data.cycles[WEM|2026-03-01|INITIAL]', reason: 'contradictory-dates' },
    ]);
  });
});

describe('limits', () => {
  const WIDE: InvoiceDays = { from: day('2000-01-01'), to: day('2099-12-31') };
  /** One run a day from 2026-01-01. */
  const many = (count: number): SettlementRun[] =>
    Array.from({ length: count }, (_, index) => {
      const date = new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10);
      return runOf('01', { periodFrom: time(`${date}T00:00:00`), ...invoiceOn(date) });
    });

  it('lists the first 200 changes, counts all and reports the others', () => {
    const { state } = serve(many(1), { window: WIDE })(undefined);
    const { facts, leftOut } = serve(many(251), { window: WIDE })(state);
    const [data] = dataOf('settlementbus.timeline.changed.v1', facts);
    expect([data?.count, data?.changes.length]).toEqual([250, 200]);
    expect(leftOut).toEqual([{ what: 'changes of the timeline', count: 50, kept: 200 }]);
  });

  it('keeps 1,001 runs of one invoice day', () => {
    const runs = many(1_001).map((run) => ({ ...run, ...invoiceOn('2026-03-13') }));
    const { state, leftOut } = serve(runs)(undefined);
    expect([state.runs.length, leftOut]).toEqual([1_001, []]);
  });

  it('remembers the changes of a week of all runs, and reports those that it forgets', () => {
    const [first, second] = [serveAt([FIRST], 0), serveAt([runOf('01', invoiceOn('2026-03-16'))], 1)];
    const max = 2 * MAX_TIMELINE_RUNS;
    const recent = Array.from({ length: max }, (_, index) => ({
      change: `${index}`,
      at: at(afterMinutes(0)).now.toISOString(),
    }));
    const { state, leftOut } = second({ ...first(undefined).state, announced: recent });
    expect(state.announced).toHaveLength(max);
    expect(leftOut).toEqual([{ what: 'recent changes of runs', count: 1, kept: max }]);
  });

  it('reports the runs that are left out', () => {
    const { state, leftOut } = serve(many(MAX_TIMELINE_RUNS + 5), { window: WIDE })(undefined);
    expect(state.runs).toHaveLength(MAX_TIMELINE_RUNS);
    expect(leftOut).toEqual([
      {
        what: 'runs of the timeline',
        count: 5,
        kept: MAX_TIMELINE_RUNS,
        range: 'invoice days 2026-01-01 to 2080-10-03',
      },
    ]);
  });
});

it('a timeline without runs is reported after a day, also after a restart, until it has one', () => {
  const DAY = 24 * 60;
  const since = (minutes: number): string => at(afterMinutes(minutes)).now.toISOString();
  let state: TimelineState | undefined;
  const results = [
    serveAt([], 0),
    serveAt([], DAY),
    serveAt([], DAY + 1),
    serveAt([FIRST], DAY + 2),
    serveAt([], DAY + 3),
    // The clock was set back.
    serveAt([], 0),
  ].map((step) => {
    const result = step(state);
    state = parseTimelineState(formatState(result.state));
    return [result.state.emptySince, ...result.unreadable.map(({ path, reason }) => `${path} ${reason}`)];
  });
  expect(results).toEqual([
    [since(0)],
    [since(0)],
    [since(0), `data.cycles has had no run since ${since(0)}`],
    [undefined],
    [since(DAY + 3)],
    [since(0)],
  ]);
});

it('a cycle whose name is not Unicode affects no other', () => {
  const { state } = serve([FIRST])(undefined);
  const step = serve([runOf('01', { period: '\ud800' }), SECOND]);
  const { facts, unreadable } = step(state);
  expect(unreadable).toEqual([
    { path: 'data.cycles[0].period', reason: 'not-unicode', document: 'cycle WEM 2026-03-01' },
  ]);
  expect(dataOf('settlementbus.timeline.changed.v1', facts)).toMatchObject([
    { count: 1, changes: [{ kind: 'added', periodFrom: '2026-03-08T00:00:00' }] },
  ]);
});
