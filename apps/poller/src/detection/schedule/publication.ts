import {
  dateOf,
  startOfDay,
  toInstant,
  type Designation,
  type MarketDateTime,
  type MarketService,
} from '@ssb/market';
import { runId } from '../settlement/runs.js';
import { intervalAfter, momentIn, spreadOf, withJitter } from './intervals.js';
import type { IntervalStep, Schedule, ScheduleSettings } from './schedule-settings.js';

/** A run of the timeline, as far as it decides when its publications are requested. */
export interface ScheduledRun {
  readonly marketService: MarketService;
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
  readonly designation: Designation;
  readonly commencementDate?: MarketDateTime | null | undefined;
  readonly statementDate: MarketDateTime;
  readonly invoiceDate: MarketDateTime;
}

/** A statement or an invoice of a run. */
export interface Publication {
  readonly resource: 'statement' | 'invoice';
  readonly run: ScheduledRun;
  /** When the current version was first seen; undefined before the publication. */
  readonly seenSince: Date | undefined;
  readonly lastRequestedAt: Date | undefined;
  /** Requests in a row, up to the last one, that failed or whose response could not be used. */
  readonly failures?: number | undefined;
}

/** The reasons for a request, the most urgent first. */
export const REQUEST_REASONS = ['due', 'long-overdue', 'commenced', 'early', 'recheck'] as const;
export type RequestReason = (typeof REQUEST_REASONS)[number];

/** A time span with one interval. Epoch milliseconds, the end excluded. */
interface Phase {
  readonly reason: RequestReason;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly intervalMs: number;
}

/** `statement:WEM|2026-02-22|INITIAL`. */
export function publicationKey({ resource, run }: Pick<Publication, 'resource' | 'run'>): string {
  return `${resource}:${runId(run)}`;
}

/** Start of the market day on which the publication is due, epoch milliseconds. */
export function dueFrom({ resource, run }: Pick<Publication, 'resource' | 'run'>): number {
  return startOf(resource === 'statement' ? run.statementDate : run.invoiceDate);
}

/** Why the publication would be requested at this time; undefined when it is not requested again. */
export function reasonAt(publication: Publication, schedule: Schedule, now: Date): RequestReason | undefined {
  return timingOf(publication, schedule).phases.find(({ endsAt }) => now.getTime() < endsAt)?.reason;
}

/**
 * When the publication is requested next, epoch milliseconds: one interval after the last request, or within one interval after the start of
 * a phase. A publication that was never requested is requested at once.
 */
export function nextRequestAt(publication: Publication, schedule: Schedule, now: Date): number | undefined {
  const last = publication.lastRequestedAt?.getTime();
  // A time in the future is one of a clock that was set back.
  if (last === undefined || last > now.getTime())
    return reasonAt(publication, schedule, now) && now.getTime();
  const { phases, spread } = timingOf(publication, schedule);
  const { failures = 0 } = publication;
  for (const { reason, startsAt, endsAt, intervalMs } of phases) {
    if (last >= endsAt) continue;
    const counted = reason === 'due' ? Math.min(failures, 1) : failures;
    const interval = intervalAfter(counted, intervalMs, schedule.settings.retryIntervalMs);
    const at = last < startsAt ? startsAt + momentIn(interval, spread) : last + withJitter(interval, spread);
    if (at < endsAt) return at;
  }
  return undefined;
}

interface Timing {
  readonly phases: readonly Phase[];
  readonly spread: number;
}

function timingOf(publication: Publication, { participant, settings }: Schedule): Timing {
  const spread = spreadOf(`${participant}|${publicationKey(publication)}`);
  return { phases: createPhases(publication, settings), spread };
}

/** In order of time, without gaps. */
function createPhases(publication: Publication, settings: ScheduleSettings): Phase[] {
  const { earlyIntervalMs, commencedIntervalMs, dueIntervals, recheckIntervals } = settings;
  const { seenSince } = publication;
  if (seenSince !== undefined) return listSteps(recheckIntervals, seenSince.getTime(), () => 'recheck');
  const { run } = publication;
  const dueAt = dueFrom(publication);
  const commencesAt = Math.min(startOf(run.commencementDate ?? run.periodTo), dueAt);
  return [
    { reason: 'early', startsAt: -Infinity, endsAt: commencesAt, intervalMs: earlyIntervalMs },
    { reason: 'commenced', startsAt: commencesAt, endsAt: dueAt, intervalMs: commencedIntervalMs },
    ...listSteps(dueIntervals, dueAt, (index) => (index === 0 ? 'due' : 'long-overdue')),
  ];
}

function listSteps(
  steps: readonly IntervalStep[],
  origin: number,
  reasonOf: (index: number) => RequestReason,
): Phase[] {
  return steps.map(({ untilAgeMs = Infinity, intervalMs }, index) => ({
    reason: reasonOf(index),
    startsAt: origin + (steps[index - 1]?.untilAgeMs ?? 0),
    endsAt: origin + untilAgeMs,
    intervalMs,
  }));
}

function startOf(time: MarketDateTime): number {
  return toInstant(startOfDay(dateOf(time))).getTime();
}
