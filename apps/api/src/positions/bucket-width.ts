const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Buckets begin at midnight of the market (UTC+8), or a multiple of their length after it. */
const ORIGIN_MS = Date.parse('2000-01-01T00:00:00+08:00');

/** Calculations of so much time are read one by one; divided by the number of participants. */
const MAX_DETAILED_RANGE_MS = 1.5 * DAY_MS;
/** Summaries of hours are read for so much time. Longer ranges are read from the summaries of days. */
const MAX_HOURLY_RANGE_MS = 45 * DAY_MS;

const DETAILED_MS = [1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS);
const HOURLY_MS = [1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS);

/** Where the figures of a bucket come from. */
export type BucketSource = 'calculations' | 'hours' | 'days';

export interface Buckets {
  readonly widthMs: number;
  readonly source: BucketSource;
  /** Whole buckets that contain the range. */
  readonly since: Date;
  readonly until: Date;
}

/** The shortest buckets that cover a range with at most so many of them. @param points at least 2: a short range may cross a boundary */
export function chooseBuckets(since: Date, until: Date, points: number, participants: number): Buckets {
  const total = (until.getTime() - since.getTime()) * participants;
  const widths = [
    ...(total <= MAX_DETAILED_RANGE_MS ? DETAILED_MS : []),
    ...(total <= MAX_HOURLY_RANGE_MS ? HOURLY_MS : []),
  ];
  const fits = (widthMs: number): boolean => {
    const { since: first, until: last } = align(widthMs, since, until);
    return (last.getTime() - first.getTime()) / widthMs <= points;
  };
  let widthMs = widths.find(fits) ?? DAY_MS;
  while (!fits(widthMs)) widthMs += DAY_MS;
  return { widthMs, source: sourceOf(widthMs), ...align(widthMs, since, until) };
}

function sourceOf(widthMs: number): BucketSource {
  if (widthMs < HOUR_MS) return 'calculations';
  return widthMs < DAY_MS ? 'hours' : 'days';
}

function align(widthMs: number, since: Date, until: Date): Pick<Buckets, 'since' | 'until'> {
  const at = (time: number, round: (value: number) => number): Date =>
    new Date(round((time - ORIGIN_MS) / widthMs) * widthMs + ORIGIN_MS);
  return { since: at(since.getTime(), Math.floor), until: at(until.getTime(), Math.ceil) };
}
