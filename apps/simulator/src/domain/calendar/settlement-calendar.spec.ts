import { addDays, parseMarketDate, SettlementCycleTimeline } from '@ssb/market';
import { buildCalendar, planRun, listDuePublications, shiftTo } from './settlement-calendar.js';
import type { RunRule } from '../scenario/scenario.js';
import { runKey, buildTimeline } from './settlement-run.js';

const day = parseMarketDate;

const rule = (change: Partial<RunRule> = {}): RunRule => ({
  marketService: 'WEM',
  period: 'week',
  designation: 'INITIAL',
  statementAfter: 5,
  invoiceAfter: 6,
  settlementAfter: 11,
  ...change,
});

const settlement = (backlogWeeks: number, ...rules: RunRule[]) => ({ every: 1, backlogWeeks, rules });

describe('buildCalendar', () => {
  it('makes a run per week, thirteen weeks back and six ahead', () => {
    const runs = buildCalendar(settlement(13, rule()), day('2026-11-20'), day('2026-11-20'));
    expect(runs).toHaveLength(19);
    expect(runs[0]).toMatchObject({
      period: { from: '2026-08-16', to: '2026-08-22' },
      statementDate: '2026-08-27',
    });
  });

  it('moves days on a weekend to Monday', () => {
    // The week of Sunday 1 to Saturday 7 March 2026; a day, eight days and seven days after it.
    const [run] = buildCalendar(
      settlement(1, rule({ statementAfter: 1, invoiceAfter: 8, settlementAfter: 7 })),
      day('2026-03-10'),
      day('2026-03-10'),
    ).filter(({ period }) => period.from === '2026-03-01');
    expect(run).toMatchObject({
      statementDate: '2026-03-09',
      invoiceDate: '2026-03-16',
      settlementDate: '2026-03-16',
    });
  });

  it.each([
    ['a Wednesday', '2026-11-25', '2026-11-30'],
    ['a Saturday', '2026-11-28', '2026-12-03'],
    ['a Monday, with a payment on the next day', '2026-11-23', '2026-11-24'],
  ])('has a statement of the first rule due on %s', (_, today, settlementDate) => {
    const first = rule({ invoiceAfter: 5, settlementAfter: [10, 6] });
    const calendar = buildCalendar(
      settlement(2, first),
      day(today),
      day(today),
      shiftTo(day(today), [first]),
    );
    const [run, ...others] = calendar.filter(({ statementDate }) => statementDate === today);
    expect(run).toMatchObject({ invoiceDate: today, settlementDate });
    expect(others).toEqual([]);
  });

  it('counts months from the Saturday on or after their end when the days are shifted', () => {
    // 31 October 2026 is a Saturday, 30 November a Monday.
    const monthly = rule({ marketService: 'NSTEM', period: 'month', statementAfter: 7 });
    const today = day('2026-11-30');
    const dates = buildCalendar(settlement(4, monthly), today, today, 1).map(({ period, statementDate }) => [
      period.from,
      statementDate,
    ]);
    expect(dates).toEqual([
      ['2026-10-01', '2026-11-08'],
      ['2026-11-01', '2026-12-13'],
      ['2026-12-01', '2027-01-10'],
    ]);
  });

  it('begins with initial runs, and includes an adjustment only with the adjusted run', () => {
    const rules = [
      rule(),
      rule({ designation: 'ADJ1', statementAfter: 61 }),
      rule({ designation: 'ADJ2', statementAfter: 124 }),
    ];
    const today = day('2026-11-20');
    /** The first period of each designation. */
    const firstOf = (backlogWeeks: number) =>
      Object.fromEntries(
        [...buildCalendar(settlement(backlogWeeks, ...rules), today, today)]
          .reverse()
          .map(({ designation, period }) => [designation, period.from]),
      );
    const all = (from: string) => ({ INITIAL: from, ADJ1: from, ADJ2: from });
    expect(firstOf(13)).toEqual(all('2026-08-16'));
    expect(firstOf(30)).toEqual(all('2026-04-19'));
  });
});

describe('listDuePublications', () => {
  const rules = settlement(
    2,
    rule(),
    rule({ marketService: 'STEM', statementAfter: 4 }),
    rule({ designation: 'ADJ1', statementAfter: 61, invoiceAfter: 62 }),
  );
  const anchor = day('2026-11-20');
  const until = (today: string) =>
    listDuePublications(buildCalendar(rules, anchor, day(today)), day(today)).map(
      ({ kind, run, due }) => `${due} ${kind} ${runKey(run)}`,
    );

  it('publishes nothing before its day, and each statement before its invoice', () => {
    const publications = until('2026-11-20');
    expect(publications.every((line) => line.slice(0, 10) <= '2026-11-20')).toBe(true);
    expect(publications.indexOf('2026-11-19 statement WEM/2026-11-08/INITIAL')).toBeLessThan(
      publications.indexOf('2026-11-20 invoice WEM/2026-11-08/INITIAL'),
    );
  });

  it('only appends as days pass, so that the count of published ones stays correct', () => {
    let before = until(anchor);
    for (let ahead = 1; ahead <= 60; ahead += 1) {
      const published = until(addDays(anchor, ahead));
      expect(published.slice(0, before.length)).toEqual(before);
      before = published;
    }
  });
});

it('plans a run of a calendar month, counted from the month of the simulation', () => {
  const nstem = {
    marketService: 'NSTEM',
    designation: 'INITIAL',
    month: -2,
    statementDay: 0,
    invoiceDay: 0,
    settlementDay: 9,
  } as const;
  expect(planRun(day('2026-04-30'), nstem)).toMatchObject({
    period: { marketService: 'NSTEM', from: '2026-02-01', to: '2026-02-28' },
    commencementDate: '2026-03-02', // 1 March 2026 is a Sunday
    statementDate: '2026-04-30',
  });
});

describe('buildTimeline', () => {
  it('puts the runs of a period into one cycle, valid by document 000', () => {
    const planned = {
      marketService: 'WEM',
      firstDay: -14,
      lastDay: -8,
      statementDay: 0,
      invoiceDay: 1,
      settlementDay: 3,
    } as const;
    const today = day('2026-03-15');
    const timeline = buildTimeline([
      planRun(today, { ...planned, designation: 'INITIAL' }),
      planRun(today, { ...planned, designation: 'ADJ1', commencementDay: -3 }),
    ]);
    expect(SettlementCycleTimeline.serialise(timeline)).toBe(
      '{"cycles":[{"period":"TW 01 MAR 2026","marketService":"WEM","periodFrom":"2026-03-01T00:00:00","periodTo":"2026-03-07T00:00:00","runs":[' +
        '{"designation":"INITIAL","commencementDate":"2026-03-09T00:00:00","statementDate":"2026-03-15T00:00:00","invoiceDate":"2026-03-16T00:00:00","settlementDate":"2026-03-18T00:00:00"},' +
        '{"designation":"ADJ1","commencementDate":"2026-03-12T00:00:00","statementDate":"2026-03-15T00:00:00","invoiceDate":"2026-03-16T00:00:00","settlementDate":"2026-03-18T00:00:00"}]}]}',
    );
  });
});
