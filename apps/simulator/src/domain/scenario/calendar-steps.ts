import {
  addDays,
  parseMarketDateTime,
  toInstant,
  weekdayOf,
  type MarketDate,
  type MarketDateTime,
} from '@ssb/market';
import { buildCalendar } from '../calendar/settlement-calendar.js';
import { buildInvoiceId, type SettlementRun } from '../calendar/settlement-run.js';
import type { Publication } from '../documents/publications.js';
import { forecastsAt, marginAt } from './margin-wave.js';
import type { EndlessScenario } from './scenario.js';
import { type SimulationContext, type SimulationStep, stampRun } from './simulation-step.js';

export type TimedStep = Extract<SimulationStep, { type: 'publish' }> & { at: MarketDateTime };
type Context = Pick<SimulationContext, 'seed' | 'participants' | 'publications'>;

/** Market times of a day's timeline, first statement and first invoice. */
const TIMELINE_AT = '07:00';
const STATEMENTS_AT = '10:00';
const INVOICES_AT = '14:00';

/**
 * All publications of the market from one market day to another, ordered by time; endless without a last day. The same arguments give the
 * same bytes.
 */
export function* calendarSteps(
  scenario: EndlessScenario,
  context: Context,
  { from, until }: { from: MarketDate; until?: MarketDate | undefined },
): Generator<TimedStep, void> {
  let calendar: SettlementRun[] = [];
  for (let day = from; until === undefined || day <= until; day = addDays(day, 1)) {
    const isAnnouncementDay = day === from || weekdayOf(day) === 1;
    // The calendar reaches six weeks ahead, so once a week is enough.
    if (isAnnouncementDay) calendar = buildCalendar({ ...scenario.settlement, backlogWeeks: 0 }, from, day);
    const today = [
      ...(isAnnouncementDay ? [timelineStep(calendar, day, context)] : []),
      ...calculationSteps(scenario, day, positionOf(scenario, day), context),
      ...settlementSteps(calendar, day, context),
    ];
    yield* today.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}

/** The timeline of the cycles with statements to come. Earlier announcements keep the others. */
function timelineStep(
  calendar: readonly SettlementRun[],
  day: MarketDate,
  { publications }: Context,
): TimedStep {
  const getCycle = ({ period }: SettlementRun): string => `${period.marketService} ${period.from}`;
  const openCycles = new Set(calendar.filter(({ statementDate }) => statementDate >= day).map(getCycle));
  const runs = calendar.filter((run) => openCycles.has(getCycle(run)));
  return publishAt(toMarketTime(day, TIMELINE_AT), publications.timeline(runs));
}

/** Counted from 1970, so that a day has the same figures whenever a simulation began. */
function positionOf({ positions }: EndlessScenario, day: MarketDate): number {
  return Math.round(Date.parse(day) / 86_400_000) * positions.calculations.length;
}

/**
 * The calculations of the day: the first one with forecasts, the last one with details.
 * @param firstPosition of the wave
 */
export function calculationSteps(
  { positions, details }: EndlessScenario,
  day: MarketDate,
  firstPosition: number,
  { participants, publications, seed }: Context,
): TimedStep[] {
  const { wave, forecastDays } = positions;
  const times = [...positions.calculations].sort();
  const perDay = times.length;
  return participants.flatMap((participant) =>
    times.flatMap((time, index) => {
      const position = firstPosition + index;
      const calculatedAt = toMarketTime(day, time);
      const tradingMargin = marginAt(wave, position, seed, participant);
      const calculation = { participant, calculatedAt, tradingDay: day, tradingMargin };
      const isLast = index === perDay - 1;
      const published = publications.calculation(calculation, { withDetails: details.prudential && isLast });
      if (index === 0 && forecastDays > 0) {
        const margins = forecastsAt(wave, { position, perDay, days: forecastDays }, seed, participant);
        published.push(publications.forecast(participant, calculatedAt, margins));
      }
      return published.map((publication) => publishAt(calculatedAt, publication));
    }),
  );
}

/** The statements and the invoices of the day, a second apart. */
function settlementSteps(
  calendar: readonly SettlementRun[],
  day: MarketDate,
  { participants, publications }: Context,
): TimedStep[] {
  const statementRuns = calendar.filter(({ statementDate }) => statementDate === day);
  const invoiceRuns = calendar.filter(({ invoiceDate }) => invoiceDate === day);
  const statements = statementRuns.flatMap((run, index) => {
    const at = toMarketTime(day, STATEMENTS_AT, index);
    const stamp = stampRun(toInstant(at));
    const published = participants.flatMap((participant) => publications.statement(participant, run, stamp));
    return published.map((publication) => publishAt(at, publication));
  });
  const invoices = invoiceRuns.flatMap((run, index) =>
    participants.map((participant) => {
      const invoice = publications.invoice(participant, run, { id: buildInvoiceId(participant, run) });
      return publishAt(toMarketTime(day, INVOICES_AT, index), invoice);
    }),
  );
  return [...statements, ...invoices];
}

export function publishAt(at: MarketDateTime, publication: Publication): TimedStep {
  return { type: 'publish', at, publication };
}

export function toMarketTime(day: MarketDate, time: string, seconds = 0): MarketDateTime {
  const at = new Date(Date.parse(`${day}T${time}:00Z`) + seconds * 1_000);
  return parseMarketDateTime(at.toISOString().slice(0, 19));
}
