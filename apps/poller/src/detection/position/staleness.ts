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
import type { DetectionSettings } from '@ssb/config';
import { withMilliseconds } from '../digest.js';
import type { Calculation } from './calculation.js';
import { latestCalculation, type CalculationLog } from './calculation-log.js';

/** A pause that was announced and lasts. */
export interface StalePosition {
  readonly lastCalculatedAt: MarketDateTime;
  readonly lastTradingDay: MarketDateTime;
  readonly allowedSeconds: number;
  /** No calculation was known, and the pause began with the first poll. */
  readonly neverCalculated?: true | undefined;
}

/** The saved state of pauses. */
export interface KnownPauses {
  readonly stale?: StalePosition | undefined;
  /** RFC 3339 UTC. */
  readonly firstPolledAt?: string | undefined;
}

type ActualCalculation = Pick<Calculation, 'tradingDay' | 'calculatedAt'>;
/** A calculation, or the first poll in its place. */
type PauseStart = ActualCalculation & Pick<StalePosition, 'neverCalculated'>;
type StaleSettings = DetectionSettings['position'];

/** The time of the first poll. It begins again when the clock was set back to before it. */
export function firstPollOf({ firstPolledAt }: KnownPauses, now: Date): string {
  return firstPolledAt !== undefined && Date.parse(firstPolledAt) <= now.getTime()
    ? firstPolledAt
    : now.toISOString();
}

/**
 * Detects pauses that end or begin with a new calculation, and the present pause. All follow from the calculations, so the times of the polls
 * make no difference. Only the pause before the first calculation begins with a poll.
 */
export function detectStaleness(
  known: KnownPauses,
  log: CalculationLog,
  added: readonly Calculation[],
  settings: StaleSettings,
  now: Date,
): { readonly stale: StalePosition | undefined; readonly facts: readonly Fact[] } {
  const { stale } = known;
  const ended = added.length === 0 ? [] : describeEnded(stale, log, added, settings);
  const start = startOfPresent(known, log);
  if (start === undefined || timeOf(start) === (stale && startOf(stale))) return { stale, facts: ended };
  const present = findPause(start, settings, now);
  return present === undefined
    ? { stale: undefined, facts: ended }
    : { stale: present.stale, facts: [...ended, present.fact] };
}

/** Where the present pause begins. A pause that began with the first poll lasts until a calculation was made after it. */
function startOfPresent({ stale, firstPolledAt }: KnownPauses, log: CalculationLog): PauseStart | undefined {
  const latest = latestCalculation(log);
  const announced = stale && firstPollBefore(stale);
  if (announced !== undefined)
    return latest !== undefined && timeOf(latest) > timeOf(announced) ? latest : announced;
  return latest ?? (firstPolledAt === undefined ? undefined : toPauseStart(new Date(firstPolledAt)));
}

/** The first poll as the beginning of an announced pause; undefined when a calculation is. */
function firstPollBefore(stale: StalePosition): PauseStart | undefined {
  const { lastCalculatedAt: calculatedAt, lastTradingDay: tradingDay, neverCalculated } = stale;
  return neverCalculated && { calculatedAt, tradingDay, neverCalculated };
}

function toPauseStart(firstPoll: Date): PauseStart {
  const calculatedAt = formatMarketTime(firstPoll);
  return { calculatedAt, tradingDay: startOfDay(dateOf(calculatedAt)), neverCalculated: true };
}

/** The pauses that new calculations ended or show. Only the end of the present pause is new. */
function describeEnded(
  stale: StalePosition | undefined,
  log: CalculationLog,
  added: readonly Calculation[],
  settings: StaleSettings,
): Fact[] {
  const { latest, readFrom = '' } = log.base.levels;
  const first = latest ?? (stale && firstPollBefore(stale));
  const before = first === undefined ? [] : [first];
  const actual = log.calculations.filter(({ isForecast }) => !isForecast);
  const isNew = new Set(added);
  // The end of the present pause can be any pair.
  const minMs = stale === undefined ? settings.staleAfterMs : 0;
  const listLong = (calculations: readonly ActualCalculation[]): Pair[] =>
    listPairs([...before, ...calculations], minMs);
  const known = listLong(actual.filter((calculation) => !isNew.has(calculation)));
  const announced = new Set(
    known.filter((pair) => findPauseOf(pair, settings)).map(([start]) => timeOf(start)),
  );
  return listLong(actual).flatMap((pair) => {
    const [start, end] = pair;
    if (stale !== undefined && isEndOf(stale, pair)) return [createResumed(stale, end)];
    // Calculations before the first day that was read are not known.
    if (announced.has(timeOf(start)) || dateOf(start.calculatedAt) < readFrom) return [];
    const pause = findPauseOf(pair, settings);
    return pause === undefined ? [] : [pause.fact, createResumed(pause.stale, end)];
  });
}

function isEndOf(stale: StalePosition, [start, end]: Pair): boolean {
  return timeOf(start) <= startOf(stale) && startOf(stale) < timeOf(end);
}

type Pair = readonly [start: ActualCalculation, end: ActualCalculation];

/** Each calculation with the next one, when more time passed between them. */
function listPairs(calculations: readonly ActualCalculation[], minMs: number): Pair[] {
  const pairs: Pair[] = [];
  const times = calculations.map(({ calculatedAt }) => toInstant(calculatedAt).getTime());
  for (const [index, start] of calculations.entries()) {
    const end = calculations[index + 1];
    if (end !== undefined && (times[index + 1] ?? 0) - (times[index] ?? 0) > minMs) pairs.push([start, end]);
  }
  return pairs;
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
  { calculatedAt, tradingDay, neverCalculated }: PauseStart,
  settings: StaleSettings,
  until: Date,
): Pause | undefined {
  const staleSince = endOfAllowedTime(calculatedAt, settings, until);
  if (staleSince === undefined) return undefined;
  const stale = {
    lastCalculatedAt: calculatedAt,
    lastTradingDay: tradingDay,
    allowedSeconds: Math.max(1, Math.floor(settings.staleAfterMs / 1_000)),
    ...(neverCalculated && { neverCalculated }),
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
  if (now.getTime() - start.getTime() <= staleAfterMs) return undefined;
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

/** Until when an announced pause was allowed; its beginning when new settings allow it for longer. */
export function expectedUntil({ lastCalculatedAt }: StalePosition, settings: StaleSettings, now: Date): Date {
  return endOfAllowedTime(lastCalculatedAt, settings, now) ?? toInstant(lastCalculatedAt);
}

/** Market time with the milliseconds that it has. */
function formatMarketTime(instant: Date): MarketDateTime {
  const milliseconds = instant.getUTCMilliseconds();
  const fraction = milliseconds === 0 ? '' : `.${String(milliseconds).padStart(3, '0')}`;
  return `${toMarketDateTime(instant)}${fraction}` as MarketDateTime;
}
