import {
  addDecimals,
  type Decimal,
  type MarketDate,
  parseDecimal,
  parseMarketDate,
  type SettlementInvoice,
  subtractDecimals,
  sumDecimals,
} from '@ssb/market';
import { type BulkLine, type RecordOf, type RecordKind, serialiseBulkLine } from '@ssb/market/admin';
import { createHash } from 'node:crypto';
import { calendarSteps } from './calendar-steps.js';
import { Publications } from '../documents/publications.js';
import { type EndlessScenario, scenarioSchema } from './scenario.js';
import fc from 'fast-check';

const rule = (marketService: string, period: string, designation: string, statementAfter: number) => ({
  marketService,
  period,
  designation,
  statementAfter,
  invoiceAfter: statementAfter + 1,
  settlementAfter: statementAfter + 6,
});

/** Adjustments come sooner than in a real market, so that a short simulation has all of them. */
const scenario = scenarioSchema.parse({
  kind: 'endless',
  about: 'a small market',
  seed: 'small',
  book: {
    creditSupport: '8000000.00',
    creditLimit: '7500000.00',
    tradingLimit: '6525000.00',
    prepayment: '100000.00',
    invoiceNotPaid: '1250000.00',
  },
  details: { tradingDays: 2, prudential: true },
  positions: {
    every: '4s',
    forecastDays: 2,
    wave: { centre: '400000.00', amplitude: '550000.00', noise: '6000.00', length: 36 },
  },
  settlement: {
    every: '10s',
    backlogWeeks: 0,
    rules: [
      rule('WEM', 'week', 'INITIAL', 5),
      rule('WEM', 'week', 'ADJ1', 8),
      rule('WEM', 'week', 'ADJ2', 12),
      rule('WEM', 'week', 'ADJ3', 15),
      rule('STEM', 'week', 'INITIAL', 4),
      rule('NSTEM', 'month', 'INITIAL', 3),
      rule('NSTEM', 'month', 'ADJ1', 10),
    ],
  },
}) as EndlessScenario;

const day = parseMarketDate;
interface Simulation {
  participants: readonly string[];
  seed: string;
  from: MarketDate;
  until: MarketDate;
}
const simulation = (change: Partial<Simulation> = {}): Simulation => ({
  participants: ['WPGENCO'],
  seed: 'test',
  from: day('2026-02-22'),
  until: day('2026-03-21'),
  ...change,
});

const listSteps = ({ participants, seed, from, until }: Simulation) => {
  const publications = new Publications({ ...scenario, seed });
  return [...calendarSteps(scenario, { participants, seed, publications }, { from, until })];
};
const listLines = (of: Simulation): BulkLine[] =>
  listSteps(of).flatMap(({ publication }) => publication.lines);
const renderText = (of: Simulation): string =>
  listLines(of)
    .map((line) => `${serialiseBulkLine(line)}\n`)
    .join('');

const market = listLines(simulation());

function selectRecords<Kind extends RecordKind>(lines: readonly BulkLine[], kind: Kind): RecordOf<Kind>[] {
  return lines.flatMap((line) => (line.kind === kind ? [line.record as RecordOf<Kind>] : []));
}

describe('calendarSteps', () => {
  it('gives the same bytes for the same seed', () => {
    const text = renderText(simulation({ participants: ['WPGENCO', 'SOLARCO'] }));
    // A changed digest means changed figures for every seed.
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      'b2d3486299f05e1e66d5e223510f84a9a55707c2111ab3234db429a9df0c07af',
    );
  });

  it('gives a day the same figures, independent of the first day', () => {
    const listDay = (from: string): string[] =>
      selectRecords(listLines(simulation({ from: day(from), until: day('2026-03-10') })), 'prudential')
        .filter(({ calculation }) => calculation.calculatedAt?.startsWith('2026-03-10'))
        .map((record) => serialiseBulkLine({ kind: 'prudential', record }));
    expect(listDay('2026-03-10')).toHaveLength(5); // three calculations and two forecasts
    expect(listDay('2026-03-02')).toEqual(listDay('2026-03-10'));
  });

  it('announces every run before its statement, with all runs of its cycle', () => {
    const announced = new Map<string, Set<string | null | undefined>>();
    for (const line of market) {
      if (line.kind === 'timelines') {
        for (const { marketService, periodFrom, runs } of line.record.timeline.cycles ?? []) {
          const cycle = new Set((runs ?? []).map(({ designation }) => designation));
          // A cycle replaces its last announcement, so it may gain runs but not lose one.
          for (const before of announced.get(`${marketService} ${periodFrom}`) ?? [])
            expect(cycle).toContain(before);
          announced.set(`${marketService} ${periodFrom}`, cycle);
        }
      } else if (line.kind === 'statements') {
        const { marketService, periodFrom, designation } = line.record.statement;
        expect(announced.get(`${marketService} ${periodFrom}`)).toContain(designation);
      }
    }
  });
});

const ZERO = parseDecimal('0.00');
const sum = (values: readonly Decimal[]): Decimal => sumDecimals([ZERO, ...values]);
/** True for `1.50` and `1.5`. */
const isEqual = (a: Decimal, b: Decimal): boolean => /^-?0(\.0*)?$/.test(subtractDecimals(a, b));

describe('the figures of every market are consistent', () => {
  // Each market is made once for all properties, because making it is slow.
  const markets = fc
    .sample(fc.tuple(fc.string({ maxLength: 20 }), fc.stringMatching(/^[A-Z]{1,20}$/)), 1)
    .map(([seed, participant]) => ({
      seed: JSON.stringify(seed),
      participant,
      lines: listLines(simulation({ seed, participants: [participant] })),
    }));

  it.each(markets)(
    'details add up to the statement, variable by variable: $seed $participant',
    ({ lines }) => {
      const statements = selectRecords(lines, 'statements').map(({ statement }) => statement);
      const details = selectRecords(lines, 'statement-details');
      expect(details.length).toBe(statements.length * 2);
      for (const { details: detail } of details) {
        const statement = statements.find(({ runId }) => runId === detail.runId);
        const stated = statement?.tradingDays.find(({ tradingDay }) => tradingDay === detail.tradingDay);
        const summed = detail.tradingDays[0]?.variables.map(({ variable, value }) => [
          variable,
          sum(value ?? []),
        ]);
        expect(summed).toEqual(stated?.variables.map(({ variable, value }) => [variable, value]));
      }
    },
  );

  it.each(markets)('the detail of a calculation adds up to its exposure: $seed $participant', ({ lines }) => {
    const calculations = selectRecords(lines, 'prudential').map(({ calculation }) => calculation);
    const details = selectRecords(lines, 'prudential-details');
    expect(details).toHaveLength(28);
    for (const { calculatedAt, output } of details) {
      const calculation = calculations.find((each) => each.calculatedAt === calculatedAt && !each.isForecast);
      const values = (output.tradingDays ?? []).flatMap(({ variables }) =>
        (variables ?? []).flatMap(({ value }) => value ?? []),
      );
      expect(isEqual(sum(values), calculation?.cumulativeEstimatedExposure ?? parseDecimal('-1'))).toBe(true);
    }
  });

  it.each(markets)(
    'invoices match their statements, within half a cent per variable and side: $seed $participant',
    ({ lines }) => {
      const invoices = selectRecords(lines, 'invoices');
      for (const { statement } of selectRecords(lines, 'statements')) {
        const { marketService, designation, periodFrom } = statement;
        const of = invoices.find(
          (each) =>
            each.marketService === marketService &&
            each.designation === designation &&
            periodFrom.startsWith(each.periodFrom),
        );
        if (of === undefined) continue; // its invoice comes after the last day
        for (const [pOrC, tax] of [
          ['C', of.invoice.taxInvoice],
          ['P', of.invoice.recipientCreatedTaxInvoice],
        ] as const) {
          const variables = statement.tradingDays.flatMap((each) =>
            each.variables.filter((variable) => variable.pOrC === pOrC),
          );
          const names = new Set(variables.map(({ variable }) => variable));
          const stated = sum(variables.map(({ value }) => value));
          const off = subtractDecimals(tax?.total?.gstExclusive ?? ZERO, stated);
          expect(Math.abs(Number(off))).toBeLessThanOrEqual(0.005 * names.size);
        }
      }
    },
  );

  it.each(markets)(
    'the previous amounts of an adjustment are those of the earlier invoice: $seed $participant',
    ({ lines }) => {
      const invoices = new Map(selectRecords(lines, 'invoices').map(({ invoice }) => [invoice.id, invoice]));
      let compared = 0;
      for (const [id, invoice] of invoices) {
        expect(getPrevious(invoice, 'taxInvoice') === undefined).toBe(invoice.adjustment === 0);
        if (invoice.adjustment === 0) continue;
        const earlier = invoices.get(id.replace(/\d$/, (version) => String(Number(version) - 1)));
        if (earlier === undefined) throw new Error(`${id} adjusts an unpublished invoice`);
        compared += 1;
        for (const side of ['taxInvoice', 'recipientCreatedTaxInvoice'] as const)
          expect(getPrevious(invoice, side)).toEqual(getCurrent(earlier, side));
      }
      expect(compared).toBeGreaterThanOrEqual(5);
    },
  );
});

type Side = 'taxInvoice' | 'recipientCreatedTaxInvoice';

function buildAdjustment(invoice: SettlementInvoice, side: Side) {
  return invoice.adjustmentSummary?.[`${side}Adjustment`];
}

/** The previous amounts in an adjustment; undefined for an initial invoice. */
function getPrevious(invoice: SettlementInvoice, side: Side) {
  const { gstApplicable, gstFree } = buildAdjustment(invoice, side) ?? {};
  if (!gstApplicable?.gst || !gstApplicable.gstExclusive || !gstFree) return undefined;
  for (const line of [gstApplicable.gst, gstApplicable.gstExclusive, gstFree])
    expect(subtractDecimals(line.current, line.previous)).toBe(line.adjustment);
  return {
    gst: gstApplicable.gst.previous,
    gstExclusive: addDecimals(gstApplicable.gstExclusive.previous, gstFree.previous),
  };
}

/** The totals of the invoice's tax invoice. */
function getCurrent(invoice: SettlementInvoice, side: Side) {
  const { gst, gstExclusive } = invoice[side]?.total ?? {};
  return { gst, gstExclusive };
}
