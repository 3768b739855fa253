import { z } from 'zod';

const marketDate = z.iso.date();
const time = z.iso.datetime();

/** The range of a backfill. */
export const backfillRange = z.strictObject({
  participant: z.string().min(1).max(60),
  /** First and last market date, `yyyy-MM-dd`. */
  from: marketDate,
  to: marketDate,
  /** The events are listed, and not raised. */
  dryRun: z.boolean(),
});
export type BackfillRange = z.output<typeof backfillRange>;

/** The request of a person. The poller that holds the participant's lease carries it out. */
export const backfillRequest = backfillRange.extend({
  id: z.uuid(),
  /** The poller stops after the request in flight, until this is false again. */
  isPaused: z.boolean(),
  /** No last date was named, so `to` is the day of the request. */
  isUntilToday: z.boolean().optional(),
  /** Only in those of earlier releases. */
  isReported: z.boolean().optional(),
});
export type BackfillRequest = z.output<typeof backfillRequest>;

/** A record that could not be fetched or used. */
const failure = z.strictObject({ what: z.string(), reason: z.string() });
export type BackfillFailure = z.output<typeof failure>;

/** What a bound left out of the events of a backfill, in all, and when the latest was added. */
const backfillLeftOut = z.strictObject({
  at: time,
  items: z.array(
    z.strictObject({
      what: z.string(),
      count: z.int().min(0),
      kept: z.int().min(0),
      range: z.string().optional(),
    }),
  ),
});
export type BackfillLeftOut = z.output<typeof backfillLeftOut>;

/** How far the poller is. */
export const backfillProgress = z.strictObject({
  requestId: z.uuid(),
  state: z.enum(['running', 'paused', 'done']),
  /** Name of the last step that was carried out or postponed; absent before the first. A resumed backfill continues after it. */
  lastStep: z.string().optional(),
  /** Names of the steps that failed once. They are tried again after all others. */
  postponed: z.array(z.string()),
  stepsDone: z.int().min(0),
  /** Known once the timeline was read. */
  stepsTotal: z.int().min(0).optional(),
  /** Events raised or listed, by type. */
  events: z.record(z.string(), z.int().min(0)),
  /** The first ones. */
  failures: z.array(failure),
  failureCount: z.int().min(0),
  leftOut: backfillLeftOut.optional(),
  /** What the backfill waits for, such as a response, the request budget or the queue; absent while it runs. */
  waitingFor: z.string().optional(),
  startedAt: time,
  updatedAt: time,
});
export type BackfillProgress = z.output<typeof backfillProgress>;

/** An event that a dry run found. */
export const listedEvent = z.strictObject({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  /** When it happened, RFC 3339. */
  time: z.string(),
});
export type ListedEvent = z.output<typeof listedEvent>;

/** Whether a request and a range are the same backfill, which is then resumed. */
export function isSameRange(one: BackfillRange, other: BackfillRange): boolean {
  return (
    one.participant === other.participant &&
    one.from === other.from &&
    one.to === other.to &&
    one.dryRun === other.dryRun
  );
}

/** Whether the poller has carried out the request. */
export function isFinished(request: BackfillRequest, progress: BackfillProgress | undefined): boolean {
  return progress?.requestId === request.id && progress.state === 'done';
}

/** The number of events raised or listed. */
export function countEvents({ events }: Pick<BackfillProgress, 'events'>): number {
  return Object.values(events).reduce((sum, count) => sum + count, 0);
}
