import { marketNow, marketToday } from '@ssb/market';
import { calendarOf, publicationsUntil, type Publication } from './domain/calendar.js';
import { takeUp, type Progress } from './domain/progress.js';
import type { EndlessScenario } from './domain/scenario.js';
import { timelineOf } from './domain/settlement-run.js';
import { marginAt } from './domain/wave.js';
import { decimalOf, CENTS } from './domain/amount.js';
import type { Stage } from './play.js';
import { runIdAt } from './market.js';
import { pause } from './stage/pause.js';

/** Positions and settlement side by side; each notes how far it has come. Ends only when the signal aborts. */
export async function playEndlessly(
  scenario: EndlessScenario,
  stage: Stage,
  signal: AbortSignal,
): Promise<void> {
  const saved = await stage.progress.read();
  const progress = takeUp(saved, stage.market.seed, marketToday(new Date()));
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

/** The next position of the wave for each participant, again and again. */
async function swing(
  { positions: { every, wave } }: EndlessScenario,
  { market, participants, progress: file, hold }: Stage,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    for (const participant of participants) {
      const margin = marginAt(wave, progress.positions, market.seed, participant);
      await market.calculate(participant, decimalOf(margin, CENTS), signal);
    }
    progress.positions += 1;
    await file.keep(progress);
    await pause(Math.max(hold(every), SHORTEST_BETWEEN_POSITIONS_MS), signal);
  }
}

/** The oldest publication that is due and not made yet; a new timeline whenever a day begins. */
async function settle(
  { settlement }: EndlessScenario,
  { market, progress: file, participants, hold }: Stage,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  for (let announced = ''; ;) {
    const today = marketToday(new Date());
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
    await pause(hold(settlement.every), signal);
  }
}

async function publish(
  { kind, run }: Publication,
  { market, participants, progress: file }: Pick<Stage, 'market' | 'participants' | 'progress'>,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const now = new Date();
  progress.settling ??= { publishedAt: marketNow(now), runId: runIdAt(now) };
  await file.keep(progress);
  for (const participant of participants) {
    if (kind === 'statement') await market.state(participant, run, signal, progress.settling);
    else await market.invoice(participant, run, invoiceIdOf(run), signal);
  }
}

/** `INV-2026-03-01-W0`: at most 20 characters (document 000, SettlementInvoice). */
function invoiceIdOf({ period, designation }: Publication['run']): string {
  const version = designation === 'INITIAL' ? '0' : designation.slice(-1);
  return `INV-${period.from}-${period.marketService.slice(0, 1)}${version}`;
}
