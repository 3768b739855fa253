import { addDays, type MarketDate } from '@ssb/market';
import { RUNS, type StoreSize } from './market-store.js';

/** An operation of document 000. */
export interface StoreOperation {
  readonly operation: string;
  /** The path of the next random record. Every run has the same sequence. */
  readonly nextPath: () => string;
}

/** The ten operations, with operation 1 both for one week and for all weeks. */
export function createOperations({ weeks, from }: Pick<StoreSize, 'weeks' | 'from'>): StoreOperation[] {
  const pick = createPicker(20_260_301);
  const week = (): MarketDate => addDays(from, 7 * pick(weeks));
  /** NSTEM has one period every four weeks. */
  const month = (): MarketDate => addDays(from, 28 * pick(Math.ceil(weeks / 4)));
  const day = (first: MarketDate): MarketDate => addDays(first, pick(7));
  const run = (): string => RUNS[pick(RUNS.length)] ?? RUNS[0];
  const period = (): string =>
    [`WEM/%/${week()}/${run()}`, `NSTEM/%/${month()}/${run()}`, `STEM/%/${week()}/INITIAL`][pick(3)] ?? '';
  const settlement = (what: string): string => `/api/v2/settlements/${period().replace('%', what)}`;
  const last = addDays(from, 7 * weeks - 1);
  const dateQuery = (first: MarketDate, days: number): string =>
    `dateFrom=${first}&dateTo=${addDays(first, days - 1)}`;
  return [
    {
      operation: '1  prudential range, a week',
      nextPath: () => `/api/v2/prudential?${dateQuery(week(), 7)}`,
    },
    {
      operation: '1  prudential range, everything',
      nextPath: () => `/api/v2/prudential?dateFrom=${from}&dateTo=${last}`,
    },
    { operation: '2  prudential summary', nextPath: () => '/api/v2/prudential/summary/latest' },
    { operation: '3  prudential detail', nextPath: () => `/api/v2/prudential/detail/${day(week())}` },
    { operation: '4  prudential estimation', nextPath: () => `/api/v2/prudential/estimation/${day(week())}` },
    { operation: '5  statement', nextPath: () => settlement('summary') },
    {
      operation: '6  statement detail',
      nextPath: () => `/api/v2/settlements/WEM/detail/${day(week())}/${run()}`,
    },
    {
      operation: '7  statement estimation',
      nextPath: () => {
        const first = month();
        return `/api/v2/settlements/NSTEM/estimation/${first}/${run()}/${day(first)}`;
      },
    },
    { operation: '8  invoice file', nextPath: () => settlement('invoiceFile') },
    { operation: '9  invoice', nextPath: () => settlement('invoice') },
    {
      operation: '10 timeline',
      nextPath: () => `/api/v2/settlements/timeline?${buildTimelineQuery(week())}`,
    },
  ];
}

function buildTimelineQuery(first: MarketDate): string {
  return `invoiceDateFrom=${first}&invoiceDateTo=${addDays(first, 27)}`;
}

/** Numbers below a bound from a linear congruential generator. Its low bits repeat early, so the high bits are used. */
function createPicker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
