import { calendarOf, publicationsUntil, type DuePublication } from './domain/calendar.js';
import { takeUp, type Progress } from './domain/progress.js';
import type { EndlessScenario } from './domain/scenario.js';
import { timelineOf } from './domain/settlement-run.js';
import { forecastAt, marginAt } from './domain/wave.js';
import { decimalOf, CENTS } from './domain/amount.js';
import { invoiceIdOf } from './domain/invoice-id.js';
import type { Stage } from './stage/stage.js';

/** Positions and settlement side by side; each notes how far it has come. Ends only when the signal aborts. */
export async function playEndlessly(
  scenario: EndlessScenario,
  stage: Stage,
  signal: AbortSignal,
): Promise<void> {
  const saved = await stage.progress.read();
  const progress = takeUp(saved, stage.market.seed, stage.market.today);
  const either = new AbortController();
  const both = AbortSignal.any([signal, either.signal]);
  const parts = [swing(scenario, stage, progress, both), settle(scenario, stage, progress, both)];
  try {
    await Promise.all(parts);
  } finally {
    either.abort();
    await Promise.allSettled(parts);
  }
}

/** Calculations are told apart by the second: more than one a second would run ahead of the clock. */
const SHORTEST_BETWEEN_POSITIONS_MS = 1_000;

/** The next position of the wave for each participant, again and again; now and then with forecasts and details. */
async function swing(
  { positions: { every, wave, forecastDays, forecastEvery }, details }: EndlessScenario,
  { market, participants, progress: file, clock }: Stage,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const position = progress.positions;
    const looksAhead = position % forecastEvery === 0;
    for (const participant of participants) {
      const margin = marginAt(wave, position, market.seed, participant);
      const options = { details: details.prudential && looksAhead };
      await market.calculate(participant, decimalOf(margin, CENTS), signal, options);
      if (!looksAhead || forecastDays === 0) continue;
      const coming = Array.from({ length: forecastDays }, (_, index) =>
        decimalOf(forecastAt(wave, position + index + 1, index + 1, market.seed, participant), CENTS),
      );
      await market.forecast(participant, coming, signal);
    }
    progress.positions += 1;
    await file.keep(progress);
    await clock.wait(every, signal, SHORTEST_BETWEEN_POSITIONS_MS);
  }
}

/** The oldest publication that is due and not made yet; a new timeline whenever a day begins. */
async function settle(
  { settlement }: EndlessScenario,
  { market, progress: file, participants, clock }: Stage,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  // Rules that changed since may make fewer due than were counted: then all of them are taken for published, and what comes is not.
  const due = publicationsUntil(calendarOf(settlement, progress.anchor, market.today), market.today);
  progress.publications = Math.min(progress.publications, due.length);
  for (let announced = ''; ;) {
    const { today } = market;
    const calendar = calendarOf(settlement, progress.anchor, today);
    if (announced !== today) {
      await market.announce(timelineOf(calendar), signal);
      announced = today;
    }
    const next = publicationsUntil(calendar, today)[progress.publications];
    if (next !== undefined) {
      await publish(next, { market, participants, progress: file }, progress, signal);
      progress.publications += 1;
      progress.settling = undefined;
      await file.keep(progress);
    }
    await clock.wait(settlement.every, signal);
  }
}

async function publish(
  { kind, run }: DuePublication,
  { market, participants, progress: file }: Pick<Stage, 'market' | 'participants' | 'progress'>,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  progress.settling ??= market.stamp();
  const stamp = progress.settling;
  await file.keep(progress);
  for (const participant of participants) {
    if (kind === 'statement') await market.state(participant, run, stamp, signal);
    else await market.invoice(participant, run, { id: invoiceIdOf(participant, run) }, signal);
  }
}
