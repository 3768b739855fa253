import { addDays, dateOf, parseMarketDate, type MarketDate } from '@ssb/market';
import { MAX_HORIZON_DAYS } from '@ssb/config';
import type { LeftOut } from '../detection.js';
import { daysAhead, type Calculation } from './calculation.js';

/** The calculations that became part of the base. It shows that a calculation arrived after its place was decided. */
export interface Absorbed {
  /** The first trading day whose calculations are all known. */
  readonly from: MarketDate;
  readonly days: Readonly<Record<string, AbsorbedDay>>;
  /** The number of forgotten calculations, because they were too many. */
  readonly forgotten: number;
}

interface AbsorbedDay {
  /** Names of the calculations of a trading day, one after the other; empty when they were too many. */
  readonly names: string;
  /** The number of calculations that arrived too late to decide levels. */
  readonly late: number;
}

/** 48 bits of the digest. */
const NAME_BYTES = 6;
const NAME_LENGTH = 8;
/** 400 KB of the saved state. Hourly calculations with forecasts of 31 days are half of them. */
export const MAX_ABSORBED = 50_000;

export function startAbsorbed(from: MarketDate): Absorbed {
  return { from, days: {}, forgotten: 0 };
}

/** Adds calculations. Of too many, those of the earliest trading days are forgotten. */
export function absorb(
  absorbed: Absorbed,
  calculations: readonly Calculation[],
  isLate: (calculation: Calculation) => boolean = () => false,
  max = MAX_ABSORBED,
): Absorbed {
  const days = new Map(Object.entries(absorbed.days));
  const added = new Map<string, string[]>();
  for (const calculation of calculations) {
    const day = dateOf(calculation.tradingDay);
    if (day < absorbed.from) continue;
    const { names, late } = days.get(day) ?? { names: '', late: 0 };
    days.set(day, { names, late: late + Number(isLate(calculation)) });
    const list = added.get(day) ?? [];
    list.push(nameOf(calculation));
    added.set(day, list);
  }
  for (const [day, list] of added) {
    const { names = '', late = 0 } = days.get(day) ?? {};
    days.set(day, { names: names + list.join(''), late });
  }
  return limit({ ...absorbed, days: Object.fromEntries(days) }, max);
}

/**
 * Adds the calculations of a response whose place in the log is already part of the base.
 * @param deciding calculations that decide levels
 * @returns the new ones among them, too
 */
export function absorbBeforeBase(
  absorbed: Absorbed | undefined,
  calculations: readonly Calculation[],
  deciding: readonly Calculation[],
  firstDay: MarketDate,
): { readonly absorbed: Absorbed; readonly late: readonly Calculation[] } {
  const before = absorbed ?? startAbsorbed(firstDay);
  const late = findLate(before, calculations);
  return { absorbed: absorbLate(forgetBefore(before, firstDay), late, deciding), late };
}

/**
 * Adds late calculations. A late forecast could decide a level only when its trading day has no later one.
 * @param kept calculations that decide levels
 */
function absorbLate(
  absorbed: Absorbed,
  late: readonly Calculation[],
  kept: readonly Calculation[],
): Absorbed {
  if (late.length === 0) return absorbed;
  const latest = new Map<string, string>();
  for (const { isForecast, tradingDay, sortKey } of kept)
    if (isForecast) latest.set(dateOf(tradingDay), sortKey);
  return absorb(absorbed, late, (calculation) => {
    if (!calculation.isForecast) return true;
    const isSuperseded = (latest.get(dateOf(calculation.tradingDay)) ?? '') > calculation.sortKey;
    return !isSuperseded && daysAhead(calculation) <= MAX_HORIZON_DAYS;
  });
}

/** Fingerprints of responses without a late calculation. An unchanged response is not compared again. */
const withoutLate = new WeakMap<Absorbed, string>();

/** Calculations of the base's time that are not part of it, each once. */
export function findLate(absorbed: Absorbed, calculations: readonly Calculation[]): Calculation[] {
  const fingerprint = fingerprintOf(calculations);
  if (withoutLate.get(absorbed) === fingerprint) return [];
  const late = compare(absorbed, calculations);
  if (late.length === 0) withoutLate.set(absorbed, fingerprint);
  return late;
}

/** The same for the same calculations in every order: their number, and two sums of 32 bits of each digest, which stay exact. */
function fingerprintOf(calculations: readonly Calculation[]): string {
  let [first, second] = [0, 0];
  for (const { digest } of calculations) {
    first += readHex(digest, 0);
    second += readHex(digest, 8);
  }
  return `${calculations.length} ${first} ${second}`;
}

/** 32 bits. Several times as fast as `parseInt` of a part of the text. */
function readHex(digest: string, start: number): number {
  let value = 0;
  for (let index = start; index < start + 8; index += 1) {
    const code = digest.charCodeAt(index);
    value = value * 16 + (code & 15) + (code >> 6) * 9;
  }
  return value;
}

function compare(absorbed: Absorbed, calculations: readonly Calculation[]): Calculation[] {
  const known = new Map<string, Set<string>>();
  return calculations.filter((calculation) => {
    const day = dateOf(calculation.tradingDay);
    if (day < absorbed.from) return false;
    const names = known.get(day) ?? new Set(split(absorbed.days[day]?.names ?? ''));
    known.set(day, names);
    const name = nameOf(calculation);
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

/** Forgets trading days outside the range that is read. Returns the same object when there is none. */
export function forgetBefore(absorbed: Absorbed, day: MarketDate): Absorbed {
  const days = Object.entries(absorbed.days);
  const kept = days.filter(([each]) => each >= day);
  const { from } = absorbed;
  const forgotten = from > day ? absorbed.forgotten : 0;
  if (kept.length === days.length && forgotten === absorbed.forgotten) return absorbed;
  return { from: from > day ? from : day, days: Object.fromEntries(kept), forgotten };
}

/**
 * The calculations that decide no level.
 * @param kept the number of calculations that decide levels, and the time after which they were performed
 */
export function describeLate(
  { days, forgotten }: Absorbed,
  kept: { readonly count: number; readonly after: string },
): LeftOut[] {
  const all = Object.values(days);
  const late = all.reduce((sum, day) => sum + day.late, 0);
  const described: LeftOut[] = [
    {
      what: 'late calculations',
      count: late,
      kept: kept.count,
      range: `levels follow from calculations after ${kept.after}`,
    },
    {
      what: 'names of earlier calculations',
      count: forgotten,
      kept: all.reduce((sum, day) => sum + countOf(day), 0),
      range: 'a late calculation among them is not noticed',
    },
  ];
  return described.filter(({ count }) => count > 0);
}

function limit(absorbed: Absorbed, max: number): Absorbed {
  const latestFirst = Object.entries(absorbed.days).toSorted(([a], [b]) => (a < b ? 1 : -1));
  let total = 0;
  const kept = latestFirst.filter(([, day]) => (total += countOf(day)) <= max);
  const dropped = latestFirst.slice(kept.length);
  const [latest] = dropped;
  if (latest === undefined) return absorbed;
  const named = kept.reduce((sum, [, day]) => sum + countOf(day), 0);
  const counted = dropped.flatMap(([day, { late }]) =>
    late === 0 ? [] : [[day, { names: '', late }] as const],
  );
  return {
    from: addDays(parseMarketDate(latest[0]), 1),
    days: Object.fromEntries([...kept, ...counted]),
    forgotten: absorbed.forgotten + total - named,
  };
}

function countOf({ names }: AbsorbedDay): number {
  return names.length / NAME_LENGTH;
}

function nameOf({ digest }: Calculation): string {
  return Buffer.from(digest, 'hex').subarray(0, NAME_BYTES).toString('base64url');
}

function split(names: string): string[] {
  return Array.from({ length: names.length / NAME_LENGTH }, (_, index) =>
    names.slice(index * NAME_LENGTH, (index + 1) * NAME_LENGTH),
  );
}
