import { parseMarketDate } from '@ssb/market';
import { absorb, describeLate, findLate, forgetBefore, startAbsorbed, type Absorbed } from './absorbed.js';
import { withOrder, type Calculation } from './calculation.js';
import { forecast, pollAll, row, summarise, type Poll } from '../../../test/support/positions.js';

const LATER = '2026-03-06T12:00:00';
const late = (count: number, kept = 1) => ({
  what: 'late calculations',
  count,
  kept,
  range: 'levels follow from calculations after 2026-03-02T10:00:00.000',
});

const before = row('10:00:00', '300000');
const breach = row('09:00:00', '-1');
const present = row('2026-03-06T11:00:00', '300000', { tradingDay: '2026-03-06' });

/** Types and times of all facts, position.calculated included. */
const facts = (polls: readonly Poll[]) =>
  pollAll(polls).map((polled) => [
    ...polled.facts.map(({ type, data }) => `${type.split('.')[2]} ${String(Object(data).calculatedAt)}`),
  ]);

it('a calculation that arrives after its place became part of the base is announced, decides no level, and is reported while its day is read', () => {
  const polls: readonly Poll[] = [
    { rows: [before], firstDay: '2026-03-01' },
    { rows: [before, present], now: LATER, firstDay: '2026-03-01' },
    { rows: [before, breach, present], now: LATER, firstDay: '2026-03-01' },
    { rows: [before, breach, present], now: LATER, firstDay: '2026-03-01' },
    { rows: [], now: LATER, firstDay: '2026-03-01' },
    { rows: [present], now: LATER, firstDay: '2026-03-05' },
  ];
  const results = pollAll(polls);
  expect(facts(polls)).toEqual([
    ['calculated 2026-03-02T10:00:00'],
    ['calculated 2026-03-06T11:00:00'],
    ['calculated 2026-03-02T09:00:00'],
    [],
    [],
    [],
  ]);
  expect(results.map(({ leftOut }) => leftOut)).toEqual([[], [], [late(1)], [late(1)], [late(1)], []]);
});

it('a late forecast is reported only when its trading day has no later one', () => {
  const known = [forecast('08:00:00', '2026-03-09', '300000'), before, present];
  const more = [
    forecast('07:00:00', '2026-03-09', '300000'),
    forecast('07:00:00', '2026-03-10', '-1'),
    // It was made too long before.
    forecast('2026-01-20T07:00:00', '2026-03-11', '-1'),
  ];
  const polls = [
    { rows: known, now: LATER },
    { rows: [...known, ...more], now: LATER },
  ];
  const [, second] = pollAll(polls);
  expect(second?.leftOut).toEqual([late(1)]);
  expect(facts(polls)[1]).toHaveLength(3);
  expect(summarise(second?.facts ?? [])).toEqual([]);
});

describe('names of calculations', () => {
  const of = (count: number, tradingDay: string) =>
    Array.from({ length: count }, (_, second) => {
      const time = `10:00:${String(second).padStart(2, '0')}`;
      const { tradingDay: day, calculatedAt } = row(time, '1', { tradingDay });
      if (day === undefined || calculatedAt === undefined) throw new Error('no times');
      const digest = `${tradingDay.replaceAll('-', '')}${String(second).padStart(56, '0')}`
        .split('')
        .toReversed()
        .join('');
      return withOrder({ tradingDay: day, calculatedAt, isForecast: false, digest });
    });
  const FIRST = parseMarketDate('2026-03-01');
  const KEPT = { count: 7, after: '' };

  it('of too many, those of the earliest trading days are forgotten, and reported until these are not read', () => {
    const days = [of(2, '2026-03-01'), of(3, '2026-03-02'), of(3, '2026-03-03')];
    const absorbed = absorb(startAbsorbed(FIRST), days.flat(), () => false, 7);
    expect(describeLate(absorbed, KEPT)).toMatchObject([
      { what: 'names of earlier calculations', count: 2, kept: 6 },
    ]);
    expect(findLate(absorbed, days.flat())).toEqual([]);
    expect(findLate(absorbed, [...of(3, '2026-03-01'), ...of(4, '2026-03-02')])).toHaveLength(1);
    const later = forgetBefore(absorbed, parseMarketDate('2026-03-03'));
    expect(describeLate(later, KEPT)).toEqual([]);
    expect(forgetBefore(later, FIRST)).toBe(later);
  });

  it('of one trading day with too many, all are forgotten, but not how many were late', () => {
    const isLate = ({ calculatedAt }: Calculation): boolean => calculatedAt.endsWith('10:00:07');
    const absorbed = absorb(startAbsorbed(FIRST), of(8, '2026-03-01'), isLate, 7);
    expect(absorbed).toEqual({
      from: '2026-03-02',
      days: { '2026-03-01': { names: '', late: 1 } },
      forgotten: 8,
    });
    expect(describeLate(absorbed, KEPT)).toMatchObject([
      { what: 'late calculations', count: 1 },
      { what: 'names of earlier calculations', count: 8, kept: 0 },
    ]);
    const more = absorb(absorbed, of(8, '2026-03-02'), () => false, 7);
    expect(describeLate(more, KEPT)).toMatchObject([{ count: 1 }, { count: 16 }]);
    expect(describeLate(forgetBefore(more, parseMarketDate('2026-03-03')), KEPT)).toEqual([]);
  });

  it('are compared again only with another response, whatever its order', () => {
    const days = [...of(3, '2026-03-01'), ...of(3, '2026-03-02')];
    const base = absorb(startAbsorbed(FIRST), days);
    let comparisons = 0;
    const absorbed: Absorbed = {
      ...base,
      get days() {
        comparisons += 1;
        return base.days;
      },
    };
    expect(findLate(absorbed, days)).toEqual([]);
    const before = comparisons;
    expect(findLate(absorbed, days.toReversed())).toEqual([]);
    expect(comparisons).toBe(before);
    const [late] = of(4, '2026-03-02').slice(3);
    for (let poll = 0; poll < 2; poll += 1) expect(findLate(absorbed, [...days, late!])).toEqual([late]);
  });
});
