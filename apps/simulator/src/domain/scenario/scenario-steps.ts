import { addDays, dateOf, toMarketDate, type MarketDate } from '@ssb/market';
import { firstOfMonth } from '../calendar/period.js';
import { planRun } from '../calendar/settlement-calendar.js';
import { getAdjustedRun, runKey, type SettlementRun } from '../calendar/settlement-run.js';
import { toCents } from '../documents/amount.js';
import type { Publication, RunStamp } from '../documents/publications.js';
import type { OnceScenario, ScenarioStep } from './scenario.js';
import { publishNow, type SimulationContext, type SimulationStep } from './simulation-step.js';

type PublishingStep = Exclude<ScenarioStep, { outage: unknown } | { move: unknown }>;

/** A scenario with an end: the timeline, then each scenario step. Days always count from the day on which it starts. */
export function* scenarioSteps(
  scenario: OnceScenario,
  context: SimulationContext,
): Generator<SimulationStep> {
  const { publications, stamps, participants, now, speed } = context;
  const today = toMarketDate(now());
  const runs = new Map(Object.entries(scenario.runs).map(([name, run]) => [name, planRun(today, run)]));

  function* runStep(step: ScenarioStep): Generator<SimulationStep> {
    if ('outage' in step) {
      const forSeconds = Math.max(1, Math.ceil(step.lasts / 1_000 / speed));
      yield { type: 'inject-fault', fault: { kind: 'error', status: step.outage, forSeconds } };
      return;
    }
    if ('move' in step) {
      const statementDate = addDays(today, step.statementDay);
      const invoiceDate = addDays(today, step.invoiceDay);
      const settlementDate = addDays(today, step.settlementDay);
      runs.set(step.move, { ...getRun(step.move), statementDate, invoiceDate, settlementDate });
      yield publishNow(publications.timeline([...runs.values()]));
      return;
    }
    if ('revise' in step) {
      const run = getRun(step.revise);
      runs.set(step.revise, { ...run, revision: (run.revision ?? 0) + 1 });
    }
    const stamp = stamps.nextRun();
    for (const participant of participants)
      yield* buildPublications(step, participant, stamp).map(publishNow);
  }

  function buildPublications(step: PublishingStep, participant: string, stamp: RunStamp): Publication[] {
    if ('margin' in step) {
      const calculatedAt = stamps.nextCalculation(participant);
      const tradingDay =
        step.tradingDay === undefined ? dateOf(calculatedAt) : addDays(today, step.tradingDay);
      const tradingMargin = toCents(step.margin);
      return publications.calculation({ participant, calculatedAt, tradingDay, tradingMargin });
    }
    if ('forecast' in step) {
      const margins = step.forecast.map(toCents);
      return [publications.forecast(participant, stamps.nextCalculation(participant), margins)];
    }
    if ('invoice' in step) {
      const run = getRun(step.invoice);
      const adjusted = getAdjustedRun(run);
      const planned = [...runs.values()].find((each) => adjusted && runKey(each) === runKey(adjusted));
      const id = fillIn(step.id, { participant, today });
      const reversedId = step.reversed && fillIn(step.reversed, { participant, today });
      const options = { id, reversedId, offBy: step.offBy };
      return [publications.invoice(participant, run, options, planned ?? adjusted)];
    }
    const run = getRun('revise' in step ? step.revise : step.statement);
    return publications.statement(participant, run, stamp);
  }

  function getRun(name: string): SettlementRun {
    const run = runs.get(name);
    if (run === undefined) throw new Error(`The scenario has no run ${name}.`);
    return run;
  }

  yield publishNow(publications.timeline([...runs.values()]));
  for (const step of scenario.steps) {
    yield* runStep(step);
    yield { type: 'wait', ms: step.hold };
  }
}

/** Type and subject of each event that the bridge must publish if the scenario starts on this day. */
export function expectedEvents(
  { expect }: OnceScenario,
  participants: readonly string[],
  today: MarketDate,
): [type: string, subject: string][] {
  return participants.flatMap((participant) =>
    expect.map(([type, subject]): [string, string] => [type, fillIn(subject, { participant, today })]),
  );
}

/** Placeholders: `{participant}`; `{today}`, `{today-14}`; `{month-2}`, the first day of the month two months ago. */
export function fillIn(
  text: string,
  { participant, today }: { participant: string; today: MarketDate },
): string {
  return text
    .replaceAll('{participant}', participant)
    .replace(/\{(today|month)([+-]\d+)?\}/g, (_placeholder, unit: string, count = '0') =>
      unit === 'today' ? addDays(today, Number(count)) : firstOfMonth(today, Number(count)),
    );
}
