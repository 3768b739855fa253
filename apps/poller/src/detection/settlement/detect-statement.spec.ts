import { createFactEvent, MAX_REPETITIONS, type Fact } from '@ssb/events';
import type { SettlementStatementSummary } from '@ssb/market';
import { detectStatement } from './detect-statement.js';
import { MAX_RAISED } from './raised-facts.js';
import type { SettlementRun } from './runs.js';
import {
  afterMinutes,
  at,
  idsOf,
  play,
  REVISED,
  RUN,
  STATEMENT,
  time,
  typesOf,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, parseStatementState, type StatementState } from './states.js';

const FORM = { parse: parseStatementState, format: formatState };
/** Computed with another implementation of RFC 8785. */
const DIGEST = 'c59015c7597e26afc3a882cb1f688871a8574bef9e443a92faa7f6c2acfd7b6a';

const serve =
  (
    response: SettlementStatementSummary | undefined,
    now = '2026-03-10T12:00:00',
    run = RUN,
  ): Step<StatementState> =>
  (state) =>
    detectStatement(state, run, response, at(now));
const ABSENT = serve(undefined);

const playAll = (...steps: Step<StatementState>[]): Fact[] => play(FORM, undefined, ...steps).flat();
const statementDate = (date: string): SettlementRun => ({ ...RUN, statementDate: time(`${date}T00:00:00`) });
const publishedAt = (at: string): SettlementStatementSummary => ({ ...STATEMENT, publishedAt: time(at) });

describe('statement.published', () => {
  it('announces every figure, with 23 digits', () => {
    const [fact] = playAll(ABSENT, serve(STATEMENT));
    expect(fact).toEqual({
      type: 'settlementbus.statement.published.v1',
      data: {
        runId: 4711,
        publishedAt: '2026-03-12T17:00:05',
        marketService: 'WEM',
        designation: 'INITIAL',
        period: 'TW 01 Mar 2026',
        periodFrom: '2026-03-01T00:00:00',
        periodTo: '2026-03-07T00:00:00',
        tradingDays: 2,
        totals: { payment: '123456789012345.67890123', charge: '30.50' },
        digest: DIGEST,
        variables: [
          {
            tradingDay: '2026-03-01T00:00:00',
            variable: 'SALE',
            pOrC: 'P',
            gstApplicable: 'Y',
            value: '123456789012345.67890123',
          },
          {
            tradingDay: '2026-03-01T00:00:00',
            variable: 'ENERGY',
            pOrC: 'C',
            gstApplicable: 'Y',
            value: '10.25',
          },
          {
            tradingDay: '2026-03-02T00:00:00',
            variable: 'ENERGY',
            pOrC: 'C',
            gstApplicable: 'Y',
            value: '20.25',
          },
        ],
      },
    });
  });

  it.each([
    ['2026-03-12T23:59:59', undefined],
    ['2026-03-13T00:00:00', undefined],
    ['2026-03-13T00:00:01', { dueDate: '2026-03-12', seconds: 1 }],
    ['2026-03-14T06:30:00', { dueDate: '2026-03-12', seconds: 109_800 }],
  ])('published at %s: late is %j', (published, late) => {
    const data = playAll(ABSENT, serve(publishedAt(published)))[0]?.data;
    expect(data).toMatchObject(late === undefined ? {} : { late });
    if (late === undefined) expect(data).not.toHaveProperty('late');
  });

  it('is not late when it is restated', () => {
    const [fact] = playAll(serve(publishedAt('2026-03-14T06:30:00')));
    expect(fact?.data).toMatchObject({ restated: true });
    expect(fact?.data).not.toHaveProperty('late');
  });

  it.each([
    ['dated in time', '2026-03-12T17:00:05', '2026-03-13T02:00:00', 7_200],
    ['dated after the overdue event', '2026-03-13T01:30:00', '2026-03-13T02:00:00', 7_200],
    ['dated in the future', '2026-03-13T05:00:00', '2026-03-13T02:00:00', 18_000],
    ['seen by a clock that went back', '2026-03-12T17:00:05', '2026-03-12T20:00:00', 1],
  ])('after an overdue event is late, %s', (_, published, seen, seconds) => {
    const overdue = serve(undefined, '2026-03-13T01:00:00');
    const moved = statementDate('2026-03-16');
    for (const run of [RUN, moved]) {
      const [, fact] = playAll(overdue, serve(publishedAt(published), seen, run));
      expect(fact?.data).toMatchObject({ late: { dueDate: '2026-03-12', seconds } });
    }
  });

  it('is late against the date of the latest overdue event', () => {
    const moved = statementDate('2026-03-16');
    const [, , fact] = playAll(
      serve(undefined, '2026-03-13T01:00:00'),
      serve(undefined, '2026-03-17T01:00:00', moved),
      serve(STATEMENT, '2026-03-17T02:00:00', moved),
    );
    expect(fact?.data).toMatchObject({ late: { dueDate: '2026-03-16', seconds: 7_200 } });
  });

  it('has the same id with and without an earlier state', () => {
    expect(idsOf(playAll(serve(STATEMENT)))).toEqual(idsOf(playAll(ABSENT, serve(STATEMENT))));
  });
});

describe('statement.revised', () => {
  it('names both runs and the exact difference', () => {
    const [, fact] = playAll(ABSENT, serve(STATEMENT), serve(REVISED));
    expect(fact).toMatchObject({
      type: 'settlementbus.statement.revised.v1',
      data: {
        runId: 4712,
        totals: { payment: '123456789012345.67890123', charge: '32.00' },
        previous: {
          runId: 4711,
          publishedAt: '2026-03-12T17:00:05',
          totals: { payment: '123456789012345.67890123', charge: '30.50' },
          digest: DIGEST,
        },
        difference: { payment: '0.00000000', charge: '1.50' },
      },
    });
  });

  it.each<[string, SettlementStatementSummary, string[]]>([
    ['another run id', { ...STATEMENT, runId: 4712 }, ['statement.revised']],
    ['another publishedAt', publishedAt('2026-03-12T18:00:00'), ['statement.revised']],
    ['other figures', { ...STATEMENT, tradingDays: REVISED.tradingDays }, ['statement.revised']],
    ['fewer days', { ...STATEMENT, tradingDays: STATEMENT.tradingDays.slice(1) }, ['statement.revised']],
  ])('%s', (_, response, expected) => {
    const [, facts = []] = play(FORM, undefined, serve(STATEMENT), serve(response));
    expect(typesOf(facts)).toEqual(expected);
  });

  /** Each version is served twice, an hour apart. */
  const serveInTurn = (count: number) =>
    Array.from({ length: count }, (_, index) => index * 60).flatMap((minutes, index) => {
      const version = index % 2 === 0 ? STATEMENT : REVISED;
      return [serve(version, afterMinutes(2 * minutes)), serve(version, afterMinutes(2 * minutes + 60))];
    });

  it('announces each return to a version that was announced before', () => {
    const facts = playAll(...serveInTurn(6));
    expect(facts.map(({ data }) => data)).toMatchObject([
      { runId: 4711, restated: true },
      { runId: 4712 },
      { runId: 4711 },
      { runId: 4712, repetition: 2 },
      { runId: 4711, repetition: 2 },
      { runId: 4712, repetition: 3 },
    ]);
    expect(facts.filter(({ data }) => 'repetition' in data)).toHaveLength(3);
    expect(new Set(idsOf(facts)).size).toBe(6);
  });

  it('announces a bounded number of repetitions per run', () => {
    const other = { ...STATEMENT, runId: 4713 };
    const facts = playAll(...serveInTurn(30), serve(other));
    expect(new Set(idsOf(facts)).size).toBe(3 + MAX_REPETITIONS + 1);
    expect(typesOf(facts).slice(3 + MAX_REPETITIONS)).toEqual(['statement.revised']);
  });

  it('reports the changes beyond them until another change is announced', () => {
    let state: StatementState | undefined;
    for (const step of serveInTurn(30)) ({ state } = step(state));
    const { leftOut } = serve(REVISED, afterMinutes(7_000))(state);
    expect(leftOut).toEqual([
      { what: 'repeated changes', count: 30 - 3 - MAX_REPETITIONS, kept: MAX_REPETITIONS },
    ]);
    const other = serve({ ...STATEMENT, runId: 4713 }, afterMinutes(7_001))(state);
    expect(other.leftOut).toBeUndefined();
  });

  it('holds a change that was announced before until it is stable, and reports it meanwhile', () => {
    let state: StatementState | undefined;
    const facts: Fact[] = [];
    const reports: string[] = [];
    for (let minute = 0; minute < 100; minute += 1) {
      const detected = serve(minute % 2 === 0 ? STATEMENT : REVISED, afterMinutes(minute))(state);
      ({ state } = detected);
      facts.push(...detected.facts);
      if (minute >= 3) reports.push(...detected.unreadable.map(({ reason }) => reason));
    }
    expect(facts.map(({ data }) => 'runId' in data && data.runId)).toEqual([4711, 4712, 4711]);
    expect(reports).toEqual(Array(97).fill('alternating-versions'));
    const other = serve({ ...STATEMENT, runId: 4713 }, afterMinutes(100))(state);
    expect(typesOf(other.facts)).toEqual(['statement.revised']);
    const stable = play(FORM, state, serve(REVISED, afterMinutes(101)), serve(REVISED, afterMinutes(161)));
    expect(stable.map(typesOf)).toEqual([[], ['statement.revised']]);
  });

  it('reports no alternation after a day and a half with one version', () => {
    const [a, b] = [STATEMENT, REVISED].map(
      (version) => (minutes: number) => serve(version, afterMinutes(minutes)),
    );
    const steps = [a?.(0), b?.(1), a?.(2), b?.(3), a?.(4), a?.(36 * 60 + 3)];
    let state: StatementState | undefined;
    const reported = steps.map((step) => {
      const detected = step?.(state);
      state = detected?.state;
      return detected?.unreadable.length;
    });
    expect(reported).toEqual([0, 0, 0, 1, 1, 0]);
  });

  it('is ordered by its detection, after the publication', () => {
    const facts = playAll(...serveInTurn(2), serve(publishedAt('2026-03-01T00:00:00')));
    const sequences = facts.map((fact, index) => {
      const detectedAt = new Date(Date.UTC(2026, 2, 14) + index);
      return createFactEvent(fact, 'ALPHA', { detectedAt, traceparent: '' }).sequence;
    });
    expect(sequences).toEqual(['00000000000000004711', '00000001773446400001', '00000001773446400002']);
  });

  it('remembers a bounded number of versions', () => {
    let state: StatementState | undefined;
    for (let runId = 1; runId <= MAX_RAISED + 10; runId += 1)
      state = serve({ ...STATEMENT, runId })(state).state;
    expect(state?.raised).toHaveLength(MAX_RAISED);
  });

  it('a 404 afterwards raises nothing and keeps the version', () => {
    const late = serve(undefined, '2026-04-01T00:00:00');
    expect(typesOf(playAll(serve(STATEMENT), late, serve(STATEMENT), serve(REVISED)))).toEqual([
      'statement.published',
      'statement.revised',
    ]);
  });
});

describe('statement.overdue', () => {
  it('announces when the grace ended', () => {
    expect(playAll(serve(undefined, '2026-03-13T01:00:00'))).toEqual([
      {
        type: 'settlementbus.statement.overdue.v1',
        data: {
          marketService: 'WEM',
          designation: 'INITIAL',
          period: 'TW 01 Mar 2026',
          periodFrom: '2026-03-01T00:00:00',
          periodTo: '2026-03-07T00:00:00',
          statementDate: '2026-03-12',
          overdueSince: '2026-03-13T01:00:00',
        },
      },
    ]);
  });

  it.each<[string, Step<StatementState>[], string[]]>([
    ['a second before the grace ends', [serve(undefined, '2026-03-13T00:59:59')], []],
    [
      'once per date',
      [serve(undefined, '2026-03-13T01:00:00'), serve(undefined, '2026-03-20T00:00:00')],
      ['statement.overdue'],
    ],
    [
      'again when the date moved and passed again',
      [
        serve(undefined, '2026-03-13T01:00:00'),
        serve(undefined, '2026-03-16T00:00:00', statementDate('2026-03-16')),
        serve(undefined, '2026-03-17T01:00:00', statementDate('2026-03-16')),
      ],
      ['statement.overdue', 'statement.overdue'],
    ],
    [
      'once per date that moves to and fro',
      ['2026-03-12', '2026-03-11', '2026-03-12', '2026-03-11'].map((date) =>
        serve(undefined, '2026-03-20T00:00:00', statementDate(date)),
      ),
      ['statement.overdue', 'statement.overdue'],
    ],
    [
      'then published, late',
      [serve(undefined, '2026-03-13T01:00:00'), serve(publishedAt('2026-03-13T02:00:00'))],
      ['statement.overdue', 'statement.published'],
    ],
    ['never for one that is there', [serve(STATEMENT, '2026-03-20T00:00:00')], ['statement.published']],
  ])('%s', (_, steps, expected) => {
    expect(typesOf(playAll(...steps))).toEqual(expected);
  });
});

describe('a response that cannot be used', () => {
  it.each([
    ['another participant', { participantCode: 'BETA' }, 'participantCode', 'other-participant'],
    ['another market', { marketService: 'NSTEM' }, 'marketService', 'other-statement'],
    ['another designation', { designation: 'ADJ1' }, 'designation', 'other-statement'],
    ['another period', { periodFrom: time('2026-03-08T00:00:00') }, 'periodFrom', 'other-statement'],
    ['a period that is not Unicode', { period: '\ud800' }, 'period', 'not-unicode'],
    [
      'a text that is not Unicode',
      {
        tradingDays: [
          {
            tradingDay: RUN.periodFrom,
            variables: [{ ...STATEMENT.tradingDays[1]?.variables[0], variable: '\ud800' }],
          },
        ],
      },
      '',
      'not-unicode',
    ],
  ])('%s', (_, change, path, reason) => {
    const response = { ...STATEMENT, ...change } as SettlementStatementSummary;
    const { state } = ABSENT(undefined);
    expect(serve(response)(state)).toEqual({ facts: [], state, unreadable: [{ path, reason }] });
    expect(typesOf(playAll(serve(response), ABSENT, serve(STATEMENT)))).toEqual(['statement.published']);
  });
});
