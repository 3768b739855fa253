import { PrudentialCalculation, PrudentialCalculationSummary, SettlementOutput } from '@ssb/market';
import { askWindow, readDay } from '../domain/day-window.js';
import { askable, ofWindow, published } from './failures.js';
import type { Asked, Operation } from './operation.js';
import { dayInQuery, participantCode, tradingDay } from './operation.js';

/** Operations 1 to 4 of document 000. */
export const prudentialOperations: readonly Operation[] = [
  {
    number: 1,
    id: 'prudential-range',
    summary: 'Prudential calculations of a range of trading days',
    description:
      'Every calculation, forecasts too, whose trading day lies in the range, by trading day and then by the time it was made; an empty list when there is none.',
    path: '/api/v2/prudential',
    entity: 'PRUDENTIAL',
    parameters: [
      dayInQuery('dateFrom', 'First trading day', '2026-03-01'),
      dayInQuery('dateTo', 'Last trading day', '2026-03-07'),
      participantCode,
    ],
    success: { kind: 'document', resource: PrudentialCalculation, list: true },
    find: async (records, participant, { query }) => {
      const { window } = askable(askWindow(query, ['dateFrom', 'dateTo']));
      return ofWindow(records.calculations(participant, window));
    },
  },
  {
    number: 2,
    id: 'prudential-summary',
    summary: 'Latest outstanding amount',
    description: 'Of the calculation made last; a forecast is no position.',
    path: '/api/v2/prudential/summary/latest',
    entity: 'PRUDENTIAL',
    parameters: [],
    success: { kind: 'document', resource: PrudentialCalculationSummary, list: false },
    find: (records, participant) =>
      published('prudential calculation', records.latest('prudential-summary', participant, {})),
  },
  {
    number: 3,
    id: 'prudential-detail',
    summary: 'Low-level prudential detail of one day',
    path: '/api/v2/prudential/detail/{tradingDay}',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    success: { kind: 'document', resource: SettlementOutput, list: false },
    find: async (records, participant, asked) =>
      published('prudential detail', records.latest('prudential-detail', participant, dayOf(asked))),
  },
  {
    number: 4,
    id: 'prudential-estimation',
    summary: 'NSTEM estimation detail of one day',
    path: '/api/v2/prudential/estimation/{tradingDay}',
    entity: 'PRUDENTIAL',
    parameters: [tradingDay],
    success: { kind: 'document', resource: SettlementOutput, list: false },
    find: async (records, participant, asked) =>
      published('prudential estimation', records.latest('prudential-estimation', participant, dayOf(asked))),
  },
];

function dayOf({ path }: Asked) {
  return { tradingDay: askable(readDay('tradingDay', path.tradingDay ?? '')).day };
}
