import { addDays, toInstant, type MarketDate } from '@ssb/market';
import type { DuePublication } from '../calendar/settlement-calendar.js';
import { buildInvoiceId, type SettlementRun } from '../calendar/settlement-run.js';
import { toCents, toMoney } from '../documents/amount.js';
import { calculationSteps, publishAt, toMarketTime, type TimedStep } from './calendar-steps.js';
import type { Progress } from './progress.js';
import type { EndlessScenario } from './scenario.js';
import { stampRun, type SimulationContext } from './simulation-step.js';

/** Market time on the day before its due day, when a publication of the backlog was made. */
const PUBLISHED_AT = '15:00';

export interface Backlog {
  readonly today: MarketDate;
  readonly calendar: readonly SettlementRun[];
  /** What is due before today and was not published yet. */
  readonly due: readonly DuePublication[];
}

/**
 * What the market published before today: calculations of the days before a new simulation, everything that was due, and at last the timeline
 * that announces it, so that no reader misses what is not loaded yet.
 */
export function* backlogSteps(
  scenario: EndlessScenario,
  context: Pick<SimulationContext, 'seed' | 'participants' | 'publications'>,
  progress: Progress,
  { today, calendar, due }: Backlog,
): Generator<TimedStep> {
  const { participants, publications } = context;
  if (progress.positions === 0) yield* calculationsBefore(scenario, context, today);
  for (const [index, { kind, run, due: day }] of due.entries()) {
    const at = toMarketTime(addDays(day, -1), PUBLISHED_AT, index);
    // The publication that an earlier run of the simulator had begun.
    const stamp = (index === 0 ? progress.settling : undefined) ?? stampRun(toInstant(at));
    for (const participant of participants) {
      const published =
        kind === 'statement'
          ? publications.statement(participant, run, stamp)
          : [publications.invoice(participant, run, { id: buildInvoiceId(participant, run) })];
      yield* published.map((publication) => publishAt(at, publication));
    }
  }
  yield publishAt(toMarketTime(today, '00:00'), publications.timeline(calendar));
}

/** The positions of the wave before the first one, of a lower wave. */
function* calculationsBefore(
  scenario: EndlessScenario,
  context: Pick<SimulationContext, 'seed' | 'participants' | 'publications'>,
  today: MarketDate,
): Generator<TimedStep> {
  const { backlog, calculations, wave } = scenario.positions;
  const centre = toMoney(toCents(wave.centre) - toCents(backlog.below));
  const positions = { ...scenario.positions, wave: { ...wave, centre } };
  for (let daysAgo = backlog.days; daysAgo > 0; daysAgo -= 1) {
    const firstPosition = -daysAgo * calculations.length;
    yield* calculationSteps({ ...scenario, positions }, addDays(today, -daysAgo), firstPosition, context);
  }
}
