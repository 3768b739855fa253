import { addDays, type MarketDate } from '@ssb/market';
import type { StoreShape } from './market-store.js';
import { RUNS } from './runs.js';

/** An operation of document 000 as it is asked of the store: each call a path for another record, the same sequence each time. */
export interface StoreQuestion {
  readonly operation: string;
  readonly path: () => string;
}

/** The ten operations; operation 1 for a week and for all that there is. */
export function storeQuestions({ weeks, from }: Pick<StoreShape, 'weeks' | 'from'>): StoreQuestion[] {
  const pick = picker(20_260_301);
  const week = (): MarketDate => addDays(from, 7 * pick(weeks));
  /** NSTEM has one period in four weeks. */
  const month = (): MarketDate => addDays(from, 28 * pick(Math.ceil(weeks / 4)));
  const day = (first: MarketDate): MarketDate => addDays(first, pick(7));
  const run = (): string => RUNS[pick(RUNS.length)] ?? RUNS[0];
  const period = (): string =>
    [`WEM/%/${week()}/${run()}`, `NSTEM/%/${month()}/${run()}`, `STEM/%/${week()}/INITIAL`][pick(3)] ?? '';
  const settlement = (what: string): string => `/api/v2/settlements/${period().replace('%', what)}`;
  const last = addDays(from, 7 * weeks - 1);
  const window = (first: MarketDate, days: number): string =>
    `dateFrom=${first}&dateTo=${addDays(first, days - 1)}`;
  return [
    { operation: '1  prudential range, a week', path: () => `/api/v2/prudential?${window(week(), 7)}` },
    {
      operation: '1  prudential range, everything',
      path: () => `/api/v2/prudential?dateFrom=${from}&dateTo=${last}`,
    },
    { operation: '2  prudential summary', path: () => '/api/v2/prudential/summary/latest' },
    { operation: '3  prudential detail', path: () => `/api/v2/prudential/detail/${day(week())}` },
    { operation: '4  prudential estimation', path: () => `/api/v2/prudential/estimation/${day(week())}` },
    { operation: '5  statement', path: () => settlement('summary') },
    {
      operation: '6  statement detail',
      path: () => `/api/v2/settlements/WEM/detail/${day(week())}/${run()}`,
    },
    {
      operation: '7  statement estimation',
      path: () => {
        const first = month();
        return `/api/v2/settlements/NSTEM/estimation/${first}/${run()}/${day(first)}`;
      },
    },
    { operation: '8  invoice file', path: () => settlement('invoiceFile') },
    { operation: '9  invoice', path: () => settlement('invoice') },
    { operation: '10 timeline', path: () => `/api/v2/settlements/timeline?${timelineWindow(week())}` },
  ];
}

function timelineWindow(first: MarketDate): string {
  return `invoiceDateFrom=${first}&invoiceDateTo=${addDays(first, 27)}`;
}

/** Numbers below a bound by a small congruential generator, the same for the same seed. Its low bits repeat soon, so the high ones count. */
function picker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
