import { formatDay } from './market-time.js';

interface Run {
  readonly market: string;
  readonly periodFrom: string;
  readonly designation: string;
}

/** A settlement run by the first day of its period, such as `WEM from Sun 13 Sep 2026, INITIAL`. */
export function nameRun({ market, periodFrom, designation }: Run): string {
  return `${market} ${namePeriod(periodFrom)}, ${designation}`;
}

/** A period by its first day, which all markets have. The name that the operator gives it differs by market. */
export function namePeriod(periodFrom: string): string {
  return `from ${formatDay(periodFrom)}`;
}
