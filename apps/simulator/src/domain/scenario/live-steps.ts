import { dateOf, toMarketDate, type MarketDate } from '@ssb/market';
import { buildCalendar, listDuePublications } from '../calendar/settlement-calendar.js';
import { buildInvoiceId } from '../calendar/settlement-run.js';
import { forecastsAt, marginAt } from './margin-wave.js';
import { type Progress, resumeProgress } from './progress.js';
import type { EndlessScenario } from './scenario.js';
import { publishNow, type SimulationContext, type SimulationStep } from './simulation-step.js';

/** Calculations are identified by the second, so more than one a second would run ahead of the clock. */
const MIN_POSITION_INTERVAL_MS = 1_000;

/** An endless scenario in real time: positions and settlement, each at its interval. Saves the progress after each publication. */
export function* liveSteps(
  scenario: EndlessScenario,
  context: SimulationContext,
  saved: Progress | undefined,
): Generator<SimulationStep> {
  const { seed, participants, publications, stamps, now, speed } = context;
  const { positions, settlement, details } = scenario;
  const progress = resumeProgress(saved, seed, toMarketDate(now()));
  const listDue = (today: MarketDate) =>
    listDuePublications(buildCalendar(settlement, progress.anchor, today), today);
  // Changed rules may make fewer publications due than the progress has counted.
  progress.publications = Math.min(progress.publications, listDue(toMarketDate(now())).length);

  /** The next position of the wave for each participant; every `forecastEvery`th with forecasts and details. */
  function* positionSteps(): Generator<SimulationStep> {
    const { wave, forecastDays, forecastEvery } = positions;
    const position = progress.positions;
    const isDetailed = position % forecastEvery === 0;
    for (const participant of participants) {
      const calculatedAt = stamps.nextCalculation(participant);
      const tradingMargin = marginAt(wave, position, seed, participant);
      const calculation = { participant, calculatedAt, tradingDay: dateOf(calculatedAt), tradingMargin };
      yield* publications
        .calculation(calculation, { withDetails: details.prudential && isDetailed })
        .map(publishNow);
      if (!isDetailed || forecastDays === 0) continue;
      const margins = forecastsAt(wave, { position, perDay: 1, days: forecastDays }, seed, participant);
      yield publishNow(publications.forecast(participant, stamps.nextCalculation(participant), margins));
    }
    progress.positions += 1;
    yield { type: 'save', progress };
  }

  let announcedOn: MarketDate | undefined;

  /** The timeline once a day, then the oldest due publication. */
  function* settlementSteps(): Generator<SimulationStep> {
    const today = toMarketDate(now());
    if (announcedOn !== today) {
      yield publishNow(publications.timeline(buildCalendar(settlement, progress.anchor, today)));
      announcedOn = today;
    }
    const next = listDue(today)[progress.publications];
    if (next === undefined) return;
    const { kind, run } = next;
    const stamp = (progress.settling ??= stamps.nextRun());
    yield { type: 'save', progress };
    for (const participant of participants) {
      if (kind === 'statement') yield* publications.statement(participant, run, stamp).map(publishNow);
      else yield publishNow(publications.invoice(participant, run, { id: buildInvoiceId(participant, run) }));
    }
    progress.publications += 1;
    progress.settling = undefined;
    yield { type: 'save', progress };
  }

  const tracks = [
    { steps: settlementSteps, everyMs: Math.max(settlement.every, 1), dueMs: 0 },
    { steps: positionSteps, everyMs: Math.max(positions.every, MIN_POSITION_INTERVAL_MS * speed), dueMs: 0 },
  ];
  for (let elapsedMs = 0; ;) {
    const nextMs = Math.min(...tracks.map(({ dueMs }) => dueMs));
    if (nextMs > elapsedMs) yield { type: 'wait', ms: nextMs - elapsedMs };
    elapsedMs = nextMs;
    for (const track of tracks) {
      if (track.dueMs > elapsedMs) continue;
      track.dueMs += track.everyMs;
      yield* track.steps();
    }
  }
}
