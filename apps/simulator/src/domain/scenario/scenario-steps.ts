import { addDays, dateOf, marketToday, type MarketDate } from '@ssb/market';
import { CENTS, unitsOf } from '../documents/amount.js';
import { plannedRunOn } from '../calendar/settlement-calendar.js';
import { firstOfMonth } from '../calendar/period.js';
import type { Publication, RunStamp } from '../documents/publications.js';
import type { OnceScenario, ScenarioStep } from './scenario.js';
import { adjustedRun, runKey, type SettlementRun } from '../calendar/settlement-run.js';
import { publish, type SimulationContext, type Step } from './simulation-step.js';

type PublishingStep = Exclude<ScenarioStep, { outage: unknown } | { move: unknown }>;

/** A scenario with an end: the timeline, then step after step. Days count from the day on which it starts, past midnight too. */
export function* scenarioSteps(scenario: OnceScenario, context: SimulationContext): Generator<Step> {
  const { publications, stamps, participants, now, speed } = context;
  const today = marketToday(now());
  const runs = new Map(Object.entries(scenario.runs).map(([name, run]) => [name, plannedRunOn(today, run)]));

  function* stepOf(step: ScenarioStep): Generator<Step> {
    if ('outage' in step) {
      const forSeconds = Math.max(1, Math.ceil(step.lasts / 1_000 / speed));
      yield { do: 'inject-fault', fault: { kind: 'error', status: step.outage, forSeconds } };
      return;
    }
    if ('move' in step) {
      const statementDate = addDays(today, step.statementDay);
      const invoiceDate = addDays(today, step.invoiceDay);
      const settlementDate = addDays(today, step.settlementDay);
      runs.set(step.move, { ...runNamed(step.move), statementDate, invoiceDate, settlementDate });
      yield publish(publications.timeline([...runs.values()]));
      return;
    }
    if ('revise' in step) {
      const run = runNamed(step.revise);
      runs.set(step.revise, { ...run, revision: (run.revision ?? 0) + 1 });
    }
    const stamp = stamps.run();
    for (const participant of participants) yield* publicationsOf(step, participant, stamp).map(publish);
  }

  function publicationsOf(step: PublishingStep, participant: string, stamp: RunStamp): Publication[] {
    if ('margin' in step) {
      const calculatedAt = stamps.calculation(participant);
      const tradingDay =
        step.tradingDay === undefined ? dateOf(calculatedAt) : addDays(today, step.tradingDay);
      const tradingMargin = unitsOf(step.margin, CENTS);
      return publications.calculation({ participant, calculatedAt, tradingDay, tradingMargin });
    }
    if ('forecast' in step) {
      const margins = step.forecast.map((margin) => unitsOf(margin, CENTS));
      return [publications.forecast(participant, stamps.calculation(participant), margins)];
    }
    if ('invoice' in step) {
      const run = runNamed(step.invoice);
      const adjusted = adjustedRun(run);
      const known = [...runs.values()].find((each) => adjusted && runKey(each) === runKey(adjusted));
      const id = fillIn(step.id, { participant, today });
      const reversedId = step.reversed && fillIn(step.reversed, { participant, today });
      const options = { id, reversedId, offBy: step.offBy };
      return [publications.invoice(participant, run, options, known ?? adjusted)];
    }
    const run = runNamed('revise' in step ? step.revise : step.statement);
    return publications.statement(participant, run, stamp);
  }

  function runNamed(name: string): SettlementRun {
    const run = runs.get(name);
    if (run === undefined) throw new Error(`The scenario has no run ${name}.`);
    return run;
  }

  yield publish(publications.timeline([...runs.values()]));
  for (const step of scenario.steps) {
    yield* stepOf(step);
    yield { do: 'wait', ms: step.hold };
  }
}

/** Type and subject of each event that the bridge must publish when the scenario starts on this day. */
export function expectedEvents(
  { expect }: OnceScenario,
  participants: readonly string[],
  today: MarketDate,
): [type: string, subject: string][] {
  return participants.flatMap((participant) =>
    expect.map(([type, subject]): [string, string] => [type, fillIn(subject, { participant, today })]),
  );
}

/** `{participant}`; `{today}`, `{today-14}`, `{today+3}`; and `{month-2}`, the first day of the month two months ago. */
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
