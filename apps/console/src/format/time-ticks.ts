import { readMarketClock } from './market-time.js';

export interface TimeTick {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly text: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const STEPS_MS = [
  ...[1, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 7, 14, 28, 56].map((days) => days * DAY_MS),
];
/** A midnight of the market. */
const ORIGIN_MS = Date.parse('2000-01-01T00:00:00+08:00');

/** Round times of the market for an axis: `08:30`, and `1 Dec` at midnight. */
export function timeTicks(since: number, until: number, max: number): readonly TimeTick[] {
  const step = STEPS_MS.find((each) => (until - since) / each <= max) ?? STEPS_MS.at(-1)!;
  const first = Math.ceil((since - ORIGIN_MS) / step) * step + ORIGIN_MS;
  const ticks: TimeTick[] = [];
  for (let at = first; at <= until; at += step) ticks.push({ at, text: textOf(at) });
  return ticks;
}

function textOf(at: number): string {
  const { day, time } = readMarketClock(at);
  return time === '00:00:00' ? shortDay(day) : time.slice(0, 5);
}

/** `Tue 1 Dec 2026` as `1 Dec`. */
export const shortDay = (day: string): string => day.split(' ').slice(1, 3).join(' ');
