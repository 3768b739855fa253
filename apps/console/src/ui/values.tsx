import { useSyncExternalStore } from 'react';
import { formatAmount, isNegative, isZero, padDecimals } from '../format/amount.js';
import {
  describeOwnTime,
  formatDay,
  formatDuration,
  readMarketClock,
  toMarketDay,
} from '../format/market-time.js';

interface AmountProps {
  /** A decimal text; nothing is shown when it is undefined. */
  readonly value: string | undefined;
  readonly className?: string;
  /** At least so many, filled with zeros: those of the other amounts of a column. */
  readonly decimals?: number;
}

/** A change of an amount, with its sign. It has no colour: whether it is good depends on who pays. */
export function Difference({ value }: { readonly value: string }) {
  const sign = isNegative(value) || isZero(value) ? '' : '+';
  return <span className="amount">{sign + formatAmount(value)}</span>;
}

/** An amount with every digit. A negative one has a minus sign, weight and colour. */
export function Amount({ value, className = '', decimals = 0 }: AmountProps) {
  if (value === undefined) return <Absent />;
  return (
    <span className={`amount ${isNegative(value) ? 'negative' : ''} ${className}`}>
      {formatAmount(padDecimals(value, decimals))}
    </span>
  );
}

export const Absent = () => (
  <span className="absent">
    <span aria-hidden="true">–</span>
    <span className="visually-hidden">none</span>
  </span>
);

interface MarketTimeProps {
  /** A time with its offset. */
  readonly at: string | undefined;
  /** Without the day, for times of one day. */
  readonly short?: boolean;
}

/** A time in the market (AWST, UTC+8), with the reader's own beside it where their clock differs. */
export function MarketTime({ at, short = false }: MarketTimeProps) {
  if (at === undefined) return <Absent />;
  const market = readMarketClock(at);
  const own = describeOwnTime(at);
  return (
    <time dateTime={at} className="time" title={`${market.day} ${market.time} AWST`}>
      {short ? market.time : `${market.day} ${market.time}`}
      {own !== undefined && <span className="own-time">{` (${own})`}</span>}
    </time>
  );
}

/** A day of the market. */
export function Day({ value }: { readonly value: string | undefined }) {
  return value === undefined ? (
    <Absent />
  ) : (
    <time dateTime={value} className="day">
      {formatDay(value)}
    </time>
  );
}

/** How long ago a time is; it counts on. */
export function Age({ since }: { readonly since: string | number | undefined }) {
  const now = useNow();
  return since === undefined ? (
    <Absent />
  ) : (
    <span className="age">{formatDuration(now - new Date(since).getTime())}</span>
  );
}

const TICK_MS = 1_000;
const watchers = new Set<() => void>();
let now = Date.now();
let ticking: ReturnType<typeof setInterval> | undefined;

function watchClock(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** What a function makes of the time, in epoch milliseconds; read each second, and rendered again when it changes. */
export function useClock<Value extends string | number>(read: (now: number) => Value): Value {
  return useSyncExternalStore(watchClock, () => read(now));
}

/** Epoch milliseconds, renewed each second. */
export const useNow = (): number => useClock((time) => time);

/** The day of the market. A page renders again only when it changes. */
export const useToday = (): string => useClock(toMarketDay);
