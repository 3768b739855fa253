import type { Fact } from '@ssb/events';
import {
  addDays,
  dateOf,
  startOfDay,
  toInstant,
  toMarketDate,
  toMarketDateTime,
  weekdayOf,
  type MarketDateTime,
} from '@ssb/market';
import type { DetectionSettings } from '@ssb/operator-config';
import { withMilliseconds, type Calculation } from './calculation.js';
import { latestCalculation, type History } from './history.js';

/** A pause that was stated and lasts. */
export interface StalePosition {
  readonly lastCalculatedAt: MarketDateTime;
  readonly lastTradingDay: MarketDateTime;
  readonly allowedSeconds: number;
}

type ActualCalculation = Pick<Calculation, 'tradingDay' | 'calculatedAt'>;
type StaleSettings = DetectionSettings['position'];

/**
 * Decides the pauses between two calculations of which one is new, and the present pause. All follow from the calculations, so the times of the
 * polls make no difference.
 */
export function detectStaleness(
  stale: StalePosition | undefined,
  history: History,
  added: readonly Calculation[],
  settings: StaleSettings,
  now: Date,
): { readonly stale: StalePosition | undefined; readonly facts: readonly Fact[] } {
  const ended = added.length === 0 ? [] : describeEnded(stale, history, added, settings);
  const latest = latestCalculation(history);
  if (latest === undefined || timeOf(latest) === (stale && startOf(stale))) return { stale, facts: ended };
  const present = findPause(latest, settings, now);
  return present === undefined
    ? { stale: undefined, facts: ended }
    : { stale: present.stale, facts: [...ended, present.fact] };
}

/** The pauses that new calculations ended or show. Of the present one, only its end is new. */
function describeEnded(
  stale: StalePosition | undefined,
  history: History,
  added: readonly Calculation[],
  settings: StaleSettings,
): Fact[] {
  const { latest, readFrom = '' } = history.base.levels;
  const before = latest === undefined ? [] : [latest];
  const actual = history.calculations.filter(({ isForecast }) => !isForecast);
  const isNew = new Set(added);
  const known = listPairs([...before, ...actual.filter((calculation) => !isNew.has(calculation))]);
  const stated = new Set(known.filter((pair) => findPauseOf(pair, settings)).map(([start]) => timeOf(start)));
  return listPairs([...before, ...actual]).flatMap((pair) => {
    const [start, end] = pair;
    if (stale !== undefined && timeOf(start) === startOf(stale)) return [createResumed(stale, end)];
    // Calculations before the first day that was read are not known.
    if (stated.has(timeOf(start)) || dateOf(start.calculatedAt) < readFrom) return [];
    const pause = findPauseOf(pair, settings);
    return pause === undefined ? [] : [pause.fact, createResumed(pause.stale, end)];
  });
}

type Pair = readonly [start: ActualCalculation, end: ActualCalculation];

/** Each calculation with the next one of another time. */
function listPairs(calculations: readonly ActualCalculation[]): Pair[] {
  return calculations.flatMap((start, index): Pair[] => {
    const end = calculations[index + 1];
    return end === undefined || timeOf(start) === timeOf(end) ? [] : [[start, end]];
  });
}

function timeOf({ calculatedAt }: ActualCalculation): string {
  return withMilliseconds(calculatedAt);
}

function startOf({ lastCalculatedAt }: StalePosition): string {
  return withMilliseconds(lastCalculatedAt);
}

interface Pause {
  readonly stale: StalePosition;
  readonly fact: Fact;
}

function findPauseOf([start, end]: Pair, settings: StaleSettings): Pause | undefined {
  return findPause(start, settings, toInstant(end.calculatedAt));
}

/** The pause from a calculation to a time; undefined while it is allowed. */
function findPause(
  { calculatedAt, tradingDay }: ActualCalculation,
  settings: StaleSettings,
  until: Date,
): Pause | undefined {
  const staleSince = endOfAllowedTime(calculatedAt, settings, until);
  if (staleSince === undefined) return undefined;
  const stale = {
    lastCalculatedAt: calculatedAt,
    lastTradingDay: tradingDay,
    allowedSeconds: Math.max(1, Math.floor(settings.staleAfterMs / 1_000)),
  };
  const data = { ...stale, staleSince: formatMarketTime(staleSince) };
  return { stale, fact: { type: 'settlementbus.position.stale.v1', data } };
}

function createResumed(stale: StalePosition, { tradingDay, calculatedAt }: ActualCalculation): Fact {
  return { type: 'settlementbus.position.resumed.v1', data: { ...stale, calculatedAt, tradingDay } };
}

/**
 * When the allowed time after a calculation ends; undefined when it has not ended yet. Market days on which no calculation is expected do not
 * count.
 */
function endOfAllowedTime(
  calculatedAt: MarketDateTime,
  { staleAfterMs, days }: StaleSettings,
  now: Date,
): Date | undefined {
  let remaining = staleAfterMs;
  let start = toInstant(calculatedAt);
  while (start < now) {
    const date = toMarketDate(start);
    const nextDay = toInstant(startOfDay(addDays(date, 1)));
    const available = days.includes(weekdayOf(date)) ? nextDay.getTime() - start.getTime() : 0;
    if (available > 0 && remaining <= available) {
      const end = new Date(start.getTime() + remaining);
      return end < now ? end : undefined;
    }
    remaining -= available;
    start = nextDay;
  }
  return undefined;
}

/** Market time with the milliseconds that it has. */
function formatMarketTime(instant: Date): MarketDateTime {
  const milliseconds = instant.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${toMarketDateTime(instant)}${fraction}` as MarketDateTime;
}
