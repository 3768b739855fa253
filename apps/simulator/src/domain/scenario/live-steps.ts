import { dateOf, toMarketDate, type MarketDate } from '@ssb/market';
import { buildCalendar, listDuePublications } from '../calendar/settlement-calendar.js';
import { buildInvoiceId, type SettlementRun } from '../calendar/settlement-run.js';
import { backlogSteps } from './backlog-steps.js';
import { breachAt, forecastsAt, marginAt } from './margin-wave.js';
import { type Progress, resumeProgress } from './progress.js';
import type { EndlessScenario } from './scenario.js';
import { batchSteps, publishNow, type SimulationContext, type SimulationStep } from './simulation-step.js';

/** Calculations are identified by the second, so more than one a second would run ahead of the clock. */
const MIN_POSITION_INTERVAL_MS = 1_000;
/** Of the newest ones, which are revised in turn. */
const REVISED_STATEMENTS = 6;

/**
 * An endless scenario in real time: first the backlog, in bulk, then positions, settlement and revisions, each at its interval. Saves the
 * progress after each publication.
 */
export function* liveSteps(
  scenario: EndlessScenario,
  context: SimulationContext,
  saved: Progress | undefined,
): Generator<SimulationStep> {
  const { seed, participants, publications, stamps, now, speed } = context;
  const { positions, settlement, details } = scenario;
  const firstDay = toMarketDate(now());
  const progress = resumeProgress(saved, seed, firstDay, settlement.rules);
  const hasEarlierCalendar = progress.shift === undefined;
  progress.shift ??= 0;
  const calendarOf = (today: MarketDate) => buildCalendar(settlement, progress.anchor, today, progress.shift);
  const listDue = (today: MarketDate) => listDuePublications(calendarOf(today), today);

  function* loadBacklog(): Generator<SimulationStep> {
    const before = listDue(firstDay).filter(({ due }) => due < firstDay);
    // Changed rules may make fewer publications due than the progress has counted.
    if (hasEarlierCalendar) progress.publications = before.length;
    else progress.publications = Math.min(progress.publications, listDue(firstDay).length);
    const due = before.slice(progress.publications);
    const calendar = calendarOf(firstDay);
    yield* batchSteps(backlogSteps(scenario, context, progress, { today: firstDay, calendar, due }));
    if (hasEarlierCalendar || due.length > 0) progress.settling = undefined;
    progress.publications += due.length;
    yield { type: 'save', progress };
  }

  /** The next position of the wave for each participant; every `forecastEvery`th with forecasts and details. */
  function* positionSteps(): Generator<SimulationStep> {
    const { wave, forecastDays, forecastEvery } = positions;
    const position = progress.positions;
    const isDetailed = position % forecastEvery === 0;
    for (const participant of participants) {
      const calculatedAt = stamps.nextCalculation(participant);
      const tradingMargin =
        breachAt(positions, position, seed, participant) ?? marginAt(wave, position, seed, participant);
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

  let announcedOn = firstDay;

  /** The timeline on each new day, then the oldest due publication. */
  function* settlementSteps(): Generator<SimulationStep> {
    const today = toMarketDate(now());
    if (announcedOn !== today) {
      yield publishNow(publications.timeline(calendarOf(today)));
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

  /** Revises one of the newest initial statements that were published before today. */
  function* revisionSteps(): Generator<SimulationStep> {
    const today = toMarketDate(now());
    const isPublished = ({ designation, statementDate }: SettlementRun): boolean =>
      designation === 'INITIAL' && statementDate < today;
    const newest = calendarOf(today).filter(isPublished).slice(-REVISED_STATEMENTS);
    const run = newest.at(-1 - (progress.revisions % Math.max(newest.length, 1)));
    if (run === undefined) return;
    progress.revisions += 1;
    yield { type: 'save', progress };
    const revised = { ...run, revision: progress.revisions };
    const stamp = stamps.nextRun();
    for (const participant of participants)
      yield* publications.statement(participant, revised, stamp).map(publishNow);
  }

  yield* loadBacklog();
  yield { type: 'ready' };
  const { every, after, revisions } = settlement;
  const tracks = [
    { steps: settlementSteps, everyMs: Math.max(every, 1), dueMs: after },
    { steps: positionSteps, everyMs: Math.max(positions.every, MIN_POSITION_INTERVAL_MS * speed), dueMs: 0 },
    ...(revisions === undefined
      ? []
      : [{ steps: revisionSteps, everyMs: Math.max(revisions.every, 1), dueMs: revisions.after }]),
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
