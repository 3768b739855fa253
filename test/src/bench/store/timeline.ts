import { addDays, type MarketDate } from '@ssb/market';
import { RUNS } from './runs.js';

/** One line: the weekly WEM cycles of the store, with the days on which their runs are published and invoiced. */
export function timeline(weeks: number, from: MarketDate): string {
  const cycles = Array.from({ length: weeks }, (_, week) => cycle(addDays(from, 7 * week)));
  return `{"kind":"timelines","record":{"timeline":{"cycles":[${cycles.join(',')}]}}}`;
}

function cycle(first: MarketDate): string {
  const runs = RUNS.map((designation, index) => {
    const day = (after: number): string => `"${addDays(first, 28 * index + after)}T00:00:00"`;
    return `{"designation":"${designation}","commencementDate":${day(8)},"statementDate":${day(10)},"invoiceDate":${day(12)},"settlementDate":${day(20)}}`;
  });
  return `{"period":"TW ${tradingWeek(first)}","marketService":"WEM","periodFrom":"${first}T00:00:00","periodTo":"${addDays(first, 6)}T00:00:00","runs":[${runs.join(',')}]}`;
}

/** `01 MAR 2026`, as document 000 writes the WEM period. */
function tradingWeek(first: MarketDate): string {
  const month = new Date(`${first}T00:00:00Z`).toLocaleString('en-US', { month: 'short', timeZone: 'UTC' });
  return `${first.slice(8)} ${month.toUpperCase()} ${first.slice(0, 4)}`;
}
