import { dateOf, marketToday, type MarketDate } from '@ssb/market';
import { calendarOf, publicationsUntil } from '../calendar/settlement-calendar.js';
import { resumedProgress, type Progress } from './progress.js';
import type { EndlessScenario } from './scenario.js';
import { invoiceIdOf } from '../calendar/settlement-run.js';
import { publish, type SimulationContext, type Step } from './simulation-step.js';
import { forecastsAt, marginAt } from './margin-wave.js';

/** Calculations are identified by the second: more than one a second would run ahead of the clock. */
const MIN_POSITION_INTERVAL_MS = 1_000;

/** An endless scenario in real time: positions and settlement, each at its own interval. The progress is saved after each publication. */
export function* liveSteps(
  scenario: EndlessScenario,
  context: SimulationContext,
  saved: Progress | undefined,
): Generator<Step> {
  const { seed, participants, publications, stamps, now, speed } = context;
  const { positions, settlement, details } = scenario;
  const progress = resumedProgress(saved, seed, marketToday(now()));
  const due = (today: MarketDate) => publicationsUntil(calendarOf(settlement, progress.anchor, today), today);
  // With rules that changed, fewer may be due than were counted: then all of them count as published.
  progress.publications = Math.min(progress.publications, due(marketToday(now())).length);

  /** The next position of the wave for each participant; every so often with forecasts and details. */
  function* positionSteps(): Generator<Step> {
    const { wave, forecastDays, forecastEvery } = positions;
    const position = progress.positions;
    const looksAhead = position % forecastEvery === 0;
    for (const participant of participants) {
      const calculatedAt = stamps.calculation(participant);
      const tradingMargin = marginAt(wave, position, seed, participant);
      const calculation = { participant, calculatedAt, tradingDay: dateOf(calculatedAt), tradingMargin };
      yield* publications.calculation(calculation, details.prudential && looksAhead).map(publish);
      if (!looksAhead || forecastDays === 0) continue;
      const margins = forecastsAt(wave, { position, perDay: 1, days: forecastDays }, seed, participant);
      yield publish(publications.forecast(participant, stamps.calculation(participant), margins));
    }
    progress.positions += 1;
    yield { do: 'save', progress };
  }

  let announced: MarketDate | undefined;

  /** The timeline when a day begins, then the oldest publication that is due and was not made yet. */
  function* settlementSteps(): Generator<Step> {
    const today = marketToday(now());
    if (announced !== today) {
      yield publish(publications.timeline(calendarOf(settlement, progress.anchor, today)));
      announced = today;
    }
    const next = due(today)[progress.publications];
    if (next === undefined) return;
    const { kind, run } = next;
    const stamp = (progress.settling ??= stamps.run());
    yield { do: 'save', progress };
    for (const participant of participants) {
      if (kind === 'statement') yield* publications.statement(participant, run, stamp).map(publish);
      else yield publish(publications.invoice(participant, run, { id: invoiceIdOf(participant, run) }));
    }
    progress.publications += 1;
    progress.settling = undefined;
    yield { do: 'save', progress };
  }

  const tracks = [
    { steps: settlementSteps, everyMs: Math.max(settlement.every, 1), dueMs: 0 },
    { steps: positionSteps, everyMs: Math.max(positions.every, MIN_POSITION_INTERVAL_MS * speed), dueMs: 0 },
  ];
  for (let elapsedMs = 0; ;) {
    const nextMs = Math.min(...tracks.map(({ dueMs }) => dueMs));
    if (nextMs > elapsedMs) yield { do: 'wait', ms: nextMs - elapsedMs };
    elapsedMs = nextMs;
    for (const track of tracks) {
      if (track.dueMs > elapsedMs) continue;
      track.dueMs += track.everyMs;
      yield* track.steps();
    }
  }
}
