import { addDays, dateOf, parseMarketDate, weekdayOf, type MarketDate } from '@ssb/market';
import { parseProgress } from '../src/domain/scenario/progress.js';
import type { EndlessScenario } from '../src/domain/scenario/scenario.js';
import { readScenario } from '../src/scenario-files.js';
import {
  invoiceRuns,
  listDue,
  playScenario,
  recordsOf,
  statementRuns,
  type Played,
} from './support/played-scenario.js';

/** Every day of a week, the end and the beginning of a month, a year and a leap day, and times around midnight of the market. */
const STARTS = [
  '2026-11-23T00:00:05+08:00',
  '2026-11-24T03:20:00+08:00',
  '2026-11-25T08:00:00+08:00',
  '2026-11-26T12:30:00+08:00',
  '2026-11-27T17:00:00+08:00',
  '2026-11-28T23:30:00+08:00',
  '2026-11-29T10:00:00+08:00',
  '2026-11-30T23:59:00+08:00',
  '2026-12-25T09:00:00+08:00',
  '2027-01-01T00:00:00+08:00',
  '2028-02-29T20:00:00+08:00',
];
const PLAYED_MS = 145_000;

let scenario: EndlessScenario;
beforeAll(async () => {
  const read = await readScenario('everyday');
  if (read.kind !== 'endless') throw new Error('everyday has an end');
  scenario = { ...read, details: { tradingDays: 0, prudential: false } };
});

const play = (start: string, saved?: Played['progress'], forMs = PLAYED_MS): Played =>
  playScenario(scenario, start, forMs, saved);

/** Statements, invoices, and the changes of the margin against the thresholds of config/bridge.yaml. */
function listActs({ live }: Played): string[] {
  let level = 'calm';
  let announced = 0;
  return live.flatMap(({ line }) => {
    if (line.kind === 'statements') return [`statement of ${statementRuns([line]).join()}`];
    if (line.kind === 'invoices') return [`invoice of ${invoiceRuns([line]).join()}`];
    if (line.kind !== 'prudential' || line.record.calculation.isForecast) return [];
    const margin = Number(line.record.calculation.tradingMargin);
    const before = level;
    level = margin < 0 ? 'breach' : margin < 250_000 ? 'warning' : 'calm';
    const isDeeper = before === 'breach' && level === 'breach' && margin <= announced - 100_000;
    if (level === before && !isDeeper) return [];
    announced = margin;
    return [isDeeper ? 'deeper' : level];
  });
}

const businessDaysFrom = (day: MarketDate, count: number): MarketDate => {
  let found = day;
  for (let left = Math.abs(count); left > 0;) {
    found = addDays(found, Math.sign(count));
    if (![0, 6].includes(weekdayOf(found))) left -= 1;
  }
  return found;
};

describe.each(STARTS)('everyday, started at %s', (start) => {
  let played: Played;
  beforeAll(() => (played = play(start)));

  it('plays a statement, its invoice with a reminder, a warning, a breach, a deeper one and its end', () => {
    const { live, today } = played;
    const [run = ''] = statementRuns(live.map(({ line }) => line));
    expect(run).toMatch(/^WEM .* INITIAL$/);
    expect(listActs(played)).toEqual([
      `statement of ${run}`,
      `invoice of ${run}`,
      'warning',
      'breach',
      'deeper',
      'calm',
    ]);
    const [played_] = recordsOf(
      live.map(({ line }) => line),
      'invoices',
    );
    expect([addDays(today, 5), addDays(today, 1)]).toContain(played_?.invoice.dueDate);
  });

  it('has everything that is due before the day when it is ready, and within two minutes what is due on it', () => {
    const { loaded, live, today } = played;
    const before = listDue(loaded, addDays(today, -1));
    expect([statementRuns(loaded).sort(), invoiceRuns(loaded).sort()]).toEqual([
      before.statements,
      before.invoices,
    ]);
    const all = [...loaded, ...live.filter(({ afterMs }) => afterMs < 120_000).map(({ line }) => line)];
    expect([statementRuns(all).sort(), invoiceRuns(all).sort()]).toEqual(
      Object.values(listDue(loaded, today)),
    );
  });

  it('has eight weeks of settlement, five days of calculations, payments in the next days, and nothing in the future', () => {
    const { loaded, today } = played;
    const statements = recordsOf(loaded, 'statements').map(({ statement }) => statement);
    const weeks = statements.filter((each) => each.marketService === 'WEM' && each.designation === 'INITIAL');
    expect(weeks.length).toBeGreaterThanOrEqual(8);
    expect(statements.filter(({ designation }) => designation === 'ADJ1').length).toBeGreaterThan(0);
    const calculations = recordsOf(loaded, 'prudential').map(({ calculation }) => calculation);
    const times = calculations.flatMap(({ calculatedAt = [] }) => calculatedAt);
    expect(times).toHaveLength(calculations.length);
    const days = new Set(times.map((time) => dateOf(time)));
    expect(days.size).toBe(5);
    expect(calculations.filter(({ isForecast }) => isForecast).length).toBeGreaterThan(0);
    const coming = recordsOf(loaded, 'invoices').filter(
      ({ invoice: { dueDate } }) => dueDate >= today && dueDate <= addDays(today, 14),
    );
    expect(coming.length).toBeGreaterThanOrEqual(3);
    for (const time of [...statements.map(({ publishedAt }) => publishedAt), ...times])
      expect(dateOf(time) < today).toBe(true);
  });

  it('has no reminder of the past on the day', () => {
    const { loaded, today } = played;
    for (const { invoice } of recordsOf(loaded, 'invoices'))
      expect([5, 1].map((days) => addDays(parseMarketDate(invoice.dueDate), -days))).not.toContain(today);
    for (const { statement } of recordsOf(loaded, 'statements')) {
      const until = businessDaysFrom(
        dateOf(statement.publishedAt),
        statement.marketService === 'STEM' ? 15 : 20,
      );
      expect([5, 1].map((days) => businessDaysFrom(until, -days))).not.toContain(today);
    }
  });
});

describe('everyday, started again', () => {
  const START = '2026-11-26T12:30:00+08:00';
  let first: Played;
  beforeAll(() => (first = play(START)));

  it.each([
    ['after a minute', '2026-11-26T12:34:00+08:00'],
    ['on the next day', '2026-11-27T09:00:00+08:00'],
    ['after three weeks', '2026-12-17T09:00:00+08:00'],
  ])('%s, loads what became due meanwhile, and nothing twice', (_, start) => {
    const again = play(start, first.progress, 0);
    const published = [...first.loaded, ...first.live.map(({ line }) => line), ...again.loaded];
    const due = listDue(again.loaded, addDays(again.today, -1));
    const isToday = (run: string): boolean => !due.statements.includes(run);
    expect(
      statementRuns(published)
        .filter((run) => !isToday(run))
        .sort(),
    ).toEqual(due.statements);
    expect(new Set(invoiceRuns(published)).size).toBe(invoiceRuns(published).length);
    expect(recordsOf(again.loaded, 'prudential')).toEqual([]);
    expect(again.progress.positions).toBeGreaterThanOrEqual(first.progress.positions);
  });

  it('with the progress of an earlier release, loads no past', () => {
    const text = '{"seed":"everyday","anchor":"2026-11-20","positions":400,"publications":90}';
    const again = play(START, parseProgress(text, 'p'), 0);
    expect(statementRuns(again.loaded)).toEqual([]);
    expect(again.progress).toMatchObject({ shift: 0, positions: expect.any(Number) });
  });
});

it('goes on calmly: a breach every fifteen minutes, and a revised statement every ten', () => {
  const acts = listActs(play('2026-11-26T12:30:00+08:00', undefined, 33 * 60_000));
  expect(acts.filter((act) => act === 'breach')).toHaveLength(3);
  expect(acts.filter((act) => act.startsWith('statement of'))).toHaveLength(1 + 4);
});
