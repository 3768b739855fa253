import { addDays, parseMarketDateTime, toInstant, type MarketDate, type MarketDateTime } from '@ssb/market';
import { calendarOf } from '../calendar/settlement-calendar.js';
import type { Publication } from '../documents/publications.js';
import type { EndlessScenario } from './scenario.js';
import { invoiceIdOf, type SettlementRun } from '../calendar/settlement-run.js';
import { runStampAt, type SimulationContext, type Step } from './simulation-step.js';
import { forecastsAt, marginAt } from './margin-wave.js';

type DueStep = Extract<Step, { do: 'publish' }> & { at: MarketDateTime };
type Context = Pick<SimulationContext, 'seed' | 'participants' | 'publications'>;

/** When the timeline of a day, its statements and its invoices begin to be published; market time. */
const TIMELINE_AT = '07:00';
const STATEMENTS_AT = '10:00';
const INVOICES_AT = '14:00';

/**
 * Everything that the market publishes from one market day to another, in order of time; without a last day, without end. The same
 * arguments give the same bytes. Each day is made when it is needed.
 */
export function* calendarSteps(
  scenario: EndlessScenario,
  context: Context,
  { from, until }: { from: MarketDate; until?: MarketDate | undefined },
): Generator<DueStep, void> {
  let calendar: SettlementRun[] = [];
  for (let day = from; until === undefined || day <= until; day = addDays(day, 1)) {
    const announces = day === from || weekdayOf(day) === 1;
    // The calendar reaches six weeks ahead: made anew once a week, it holds all that becomes due until the next time.
    if (announces) calendar = calendarOf({ ...scenario.settlement, backlogWeeks: 0 }, from, day);
    const today = [
      ...(announces ? [timelineStep(calendar, day, context)] : []),
      ...calculationSteps(scenario, day, context),
      ...settlementSteps(calendar, day, context),
    ];
    yield* today.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }
}

/** The cycles that still have a statement to come. The others were announced before and stay. */
function timelineStep(
  calendar: readonly SettlementRun[],
  day: MarketDate,
  { publications }: Context,
): DueStep {
  const key = ({ period }: SettlementRun): string => `${period.marketService} ${period.from}`;
  const open = new Set(calendar.filter(({ statementDate }) => statementDate >= day).map(key));
  const runs = calendar.filter((run) => open.has(key(run)));
  return due(timeOf(day, TIMELINE_AT), publications.timeline(runs));
}

/** Each of the day's calculations; the first with forecasts, the last with details. */
function calculationSteps(
  { positions, details }: EndlessScenario,
  day: MarketDate,
  { participants, publications, seed }: Context,
): DueStep[] {
  const { wave, forecastDays } = positions;
  const times = [...positions.calculations].sort();
  const perDay = times.length;
  // Counted from one fixed day, so that a day has the same figures whenever a simulation began.
  const firstPosition = Math.round(Date.parse(day) / 86_400_000) * perDay;
  return participants.flatMap((participant) =>
    times.flatMap((time, index) => {
      const position = firstPosition + index;
      const calculatedAt = timeOf(day, time);
      const tradingMargin = marginAt(wave, position, seed, participant);
      const calculation = { participant, calculatedAt, tradingDay: day, tradingMargin };
      const isLast = index === perDay - 1;
      const made = publications.calculation(calculation, details.prudential && isLast);
      if (index === 0 && forecastDays > 0) {
        const margins = forecastsAt(wave, { position, perDay, days: forecastDays }, seed, participant);
        made.push(publications.forecast(participant, calculatedAt, margins));
      }
      return made.map((publication) => due(calculatedAt, publication));
    }),
  );
}

/** The day's statements and invoices, a second apart. */
function settlementSteps(
  calendar: readonly SettlementRun[],
  day: MarketDate,
  { participants, publications }: Context,
): DueStep[] {
  const stated = calendar.filter(({ statementDate }) => statementDate === day);
  const invoiced = calendar.filter(({ invoiceDate }) => invoiceDate === day);
  const statements = stated.flatMap((run, index) => {
    const at = timeOf(day, STATEMENTS_AT, index);
    const stamp = runStampAt(toInstant(at));
    const made = participants.flatMap((participant) => publications.statement(participant, run, stamp));
    return made.map((publication) => due(at, publication));
  });
  const invoices = invoiced.flatMap((run, index) =>
    participants.map((participant) => {
      const invoice = publications.invoice(participant, run, { id: invoiceIdOf(participant, run) });
      return due(timeOf(day, INVOICES_AT, index), invoice);
    }),
  );
  return [...statements, ...invoices];
}

function due(at: MarketDateTime, publication: Publication): DueStep {
  return { do: 'publish', at, publication };
}

function timeOf(day: MarketDate, time: string, seconds = 0): MarketDateTime {
  const at = new Date(Date.parse(`${day}T${time}:00Z`) + seconds * 1_000);
  return parseMarketDateTime(at.toISOString().slice(0, 19));
}

function weekdayOf(day: MarketDate): number {
  return new Date(day).getUTCDay();
}
