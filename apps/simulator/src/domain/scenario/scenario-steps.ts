import { addDays, dateOf, parseMarketDateTime, toInstant, toMarketDate } from '@ssb/market';
import { planRun } from '../calendar/settlement-calendar.js';
import { getAdjustedRun, runKey } from '../calendar/settlement-run.js';
import { toCents } from '../documents/amount.js';
import { type Publication, type RunStamp } from '../documents/publications.js';
import { AnnouncedRuns } from './announced-runs.js';
import { buildFault, buildFileFault } from './faults.js';
import { fillIn } from './placeholders.js';
import type { OnceScenario } from './scenario.js';
import type { PublishingStep, ScenarioStep } from './scenario-step.js';
import { publishNow, stampRun, type SimulationContext, type SimulationStep } from './simulation-step.js';

type StepOf<Property extends string> = Extract<PublishingStep, Record<Property, unknown>>;

/** The time of day of a publication that is dated back. */
const PUBLISHED_AT = '10:00:00';

/** A scenario with an end: the timeline, then each scenario step. Days always count from the day on which it starts. */
export function* scenarioSteps(
  scenario: OnceScenario,
  context: SimulationContext,
): Generator<SimulationStep> {
  const { publications, stamps, participants, now, speed } = context;
  const today = toMarketDate(now());
  const runs = new AnnouncedRuns(
    Object.fromEntries(Object.entries(scenario.runs).map(([name, run]) => [name, planRun(today, run)])),
  );

  function* runStep(step: ScenarioStep): Generator<SimulationStep> {
    if ('outage' in step) {
      yield { type: 'inject-fault', fault: buildFault(step, participants, speed) };
    } else if ('invoiceFile' in step) {
      yield { type: 'inject-fault', fault: buildFileFault(step, runs.get(step.invoiceFile), participants) };
    } else if ('move' in step) {
      const { statementDay, invoiceDay, settlementDay } = step;
      const dateAfter = (days: number | undefined) => (days === undefined ? undefined : addDays(today, days));
      runs.move(step.move, {
        statementDate: dateAfter(statementDay),
        invoiceDate: dateAfter(invoiceDay),
        settlementDate: dateAfter(settlementDay),
      });
      yield publishNow(runs.buildTimeline(publications));
    } else if ('timeline' in step) {
      runs.announce(step.timeline);
      yield publishNow(runs.buildTimeline(publications));
    } else {
      yield* publishFor(step).map(publishNow);
    }
  }

  function publishFor(step: PublishingStep): Publication[] {
    if ('revise' in step) runs.revise(step.revise, step.figures);
    if ('statement' in step && step.figures !== undefined) runs.setFigures(step.statement, step.figures);
    const stamp = stampStatement(step);
    return participants
      .filter((_, index) => step.participant === undefined || step.participant === index + 1)
      .flatMap((participant) => buildPublications(step, participant, stamp));
  }

  function stampStatement(step: PublishingStep): RunStamp {
    const publishedDay = 'statement' in step || 'revise' in step ? step.publishedDay : undefined;
    if (publishedDay === undefined) return stamps.nextRun();
    const at = parseMarketDateTime(`${addDays(today, publishedDay)}T${PUBLISHED_AT}`);
    return stampRun(toInstant(at));
  }

  function buildPublications(step: PublishingStep, participant: string, stamp: RunStamp): Publication[] {
    if ('margin' in step) return buildCalculation(step, participant);
    if ('forecast' in step) {
      const margins = step.forecast.map(toCents);
      return [publications.forecast(participant, stamps.nextCalculation(participant), margins)];
    }
    if ('invoice' in step) return [buildInvoice(step, participant)];
    if ('estimation' in step) {
      const run = runs.get(step.estimation);
      const tradingDay = addDays(run.period.from, step.periodDay - 1);
      return [publications.estimation(participant, run, stamp, tradingDay)];
    }
    const run = runs.get('revise' in step ? step.revise : step.statement);
    return publications.statement(participant, run, stamp);
  }

  function buildCalculation(step: StepOf<'margin'>, participant: string): Publication[] {
    const calculatedAt = stamps.nextCalculation(participant);
    const tradingMargin = toCents(step.margin);
    return publications.calculation(
      { participant, calculatedAt, tradingDay: dateOf(calculatedAt), tradingMargin },
      { changes: step.book },
    );
  }

  function buildInvoice(step: StepOf<'invoice'>, participant: string): Publication {
    const planned = runs.get(step.invoice);
    const run =
      step.invoiceDay === undefined ? planned : { ...planned, invoiceDate: addDays(today, step.invoiceDay) };
    const adjusted = getAdjustedRun(run);
    const plannedAdjusted = runs.all().find((each) => adjusted && runKey(each) === runKey(adjusted));
    const id = fillIn(step.id, { participant, today });
    const reversedId = step.reversed && fillIn(step.reversed, { participant, today });
    const options = { id, reversedId, payable: step.payable, previousError: step.previousOffBy };
    return publications.invoice(participant, run, options, plannedAdjusted ?? adjusted);
  }

  const announcesLater = scenario.steps.some((step) => 'timeline' in step);
  if (!announcesLater) {
    runs.announce(Object.keys(scenario.runs));
    yield publishNow(runs.buildTimeline(publications));
  }
  for (const step of scenario.steps) {
    yield* runStep(step);
    yield { type: 'wait', ms: step.hold };
  }
}
