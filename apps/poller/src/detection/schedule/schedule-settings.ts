const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A part of a table of ages: up to this age a publication is requested at this interval. */
export interface IntervalStep {
  /** Absent in a last step without an end. */
  readonly untilAgeMs?: number | undefined;
  readonly intervalMs: number;
}

/** How often a participant's timeline, statements and invoices are requested. Times in milliseconds, ages in ascending order. */
export interface ScheduleSettings {
  readonly timelineIntervalMs: number;
  /** Before the commencement date of the run. */
  readonly earlyIntervalMs: number;
  /** From the commencement date to the day on which it is due. A run of STEM has none, and commences at the end of its period. */
  readonly commencedIntervalMs: number;
  /** While it is due and not there; the age counts from the start of its market day. */
  readonly dueIntervals: readonly IntervalStep[];
  /** When it is there; the age counts from its publication. Without a step for its age it is not requested again. */
  readonly recheckIntervals: readonly IntervalStep[];
  /** After a request that failed. It doubles with each further failure, up to the normal interval. */
  readonly retryIntervalMs: number;
}

/** The schedule of one participant. */
export interface Schedule {
  readonly participant: string;
  readonly settings: ScheduleSettings;
}

/** A due publication is detected within 60 seconds until the end of the seventh day after its day. */
export const DEFAULT_SCHEDULE: ScheduleSettings = {
  timelineIntervalMs: 6 * HOUR_MS,
  earlyIntervalMs: DAY_MS,
  commencedIntervalMs: HOUR_MS,
  dueIntervals: [
    { untilAgeMs: 8 * DAY_MS, intervalMs: 30 * SECOND_MS },
    { untilAgeMs: 14 * DAY_MS, intervalMs: 5 * MINUTE_MS },
    { intervalMs: 6 * HOUR_MS },
  ],
  recheckIntervals: [{ untilAgeMs: 3 * DAY_MS, intervalMs: HOUR_MS }, { intervalMs: DAY_MS }],
  retryIntervalMs: MINUTE_MS,
};
