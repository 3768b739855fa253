import { randomUUID } from 'node:crypto';
import { isFinished, isSameRange, type BackfillRange, type BackfillRequest } from './backfill.js';
import type { BackfillStore } from './backfill-store.js';

/** The operator serves adjustments for about a year, and two years of records are more than a request budget allows at once. */
const MAX_DAYS = 800;
const DAY_MS = 86_400_000;
/** Market time, UTC+8. */
const MARKET_OFFSET_MS = 8 * 3_600_000;

/** The market date of this time, `yyyy-MM-dd`. */
export function marketDateOf(now: Date): string {
  return new Date(now.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, 10);
}

/** One sentence that says why a range cannot be backfilled; undefined when it can. */
export function findRangeProblem(
  { from, to }: Pick<BackfillRange, 'from' | 'to'>,
  now: Date,
): string | undefined {
  const today = marketDateOf(now);
  for (const [name, date] of Object.entries({ from, to }))
    if (!isDate(date)) return `${name} is ${date}; it must be a date that exists, such as 2026-01-01.`;
  if (from > to) return `from ${from} is after to ${to}.`;
  if (to > today) return `to ${to} is in the future; the market date is ${today}.`;
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MAX_DAYS)
    return `The range has more than ${MAX_DAYS} days; divide it.`;
  return undefined;
}

/** What starting a backfill did. */
export type BackfillStart =
  | {
      /** `continued`: the request of this range was not complete. */
      readonly outcome: 'started' | 'continued';
      readonly request: BackfillRequest;
    }
  /** The other one is not complete. */
  | { readonly outcome: 'refused'; readonly other: BackfillRequest };

/**
 * Requests a backfill of the poller, or continues that of the same range. A complete one is repeated.
 * @param isUntilToday whether the last date was not named, so that it is the present one
 */
export async function startBackfill(
  store: BackfillStore,
  range: BackfillRange,
  isUntilToday: boolean,
): Promise<BackfillStart> {
  const { request: previous, progress } = await store.read();
  const isComplete = previous !== undefined && isFinished(previous, progress);
  if (previous !== undefined && !isComplete && isSame(previous, range, isUntilToday)) {
    await store.changeRequest(previous.id, { isPaused: false });
    return { outcome: 'continued', request: previous };
  }
  if (previous !== undefined && !isComplete) return { outcome: 'refused', other: previous };
  const request = {
    ...range,
    id: randomUUID(),
    isPaused: false,
    ...(isUntilToday && { isUntilToday }),
  };
  await store.writeRequest(request);
  return { outcome: 'started', request };
}

function isSame(previous: BackfillRequest, range: BackfillRange, isUntilToday: boolean): boolean {
  const keepsEnd = isUntilToday && previous.isUntilToday === true;
  return isSameRange(previous, keepsEnd ? { ...range, to: previous.to } : range);
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
  );
}
