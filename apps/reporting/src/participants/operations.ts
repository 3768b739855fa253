import {
  PrudentialCalculation,
  PrudentialCalculationSummary,
  SettlementCycleTimeline,
  SettlementInvoice,
  SettlementOutput,
  SettlementOutputDetails,
  SettlementStatementSummary,
} from '@ssb/market';
import { askWindow, readDay } from './parameters/day-window.js';
import {
  askDetail,
  askEstimation,
  askSettlement,
  type SettlementKey,
} from './parameters/settlement-key.js';
import { askable, ofWindow, published } from '../failures.js';
import {
  dayInQuery,
  designation,
  marketServices,
  participantCode,
  periodFrom,
  tradingDay,
  type Asked,
  type Operation,
} from './operation.js';

const SETTLEMENTS = '/api/v2/settlements';

/** The ten operations of document 000, in its order. */
export const operations: readonly Operation[] = [
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
  {
    number: 5,
    id: 'settlement-statement',
    summary: 'Settlement statement of a period',
    description: 'Of the run with the highest id.',
    path: `${SETTLEMENTS}/{marketService}/summary/{periodFrom}/{designation}`,
    entity: 'SETTLEMENT',
    parameters: [marketServices(), periodFrom, designation, participantCode],
    success: { kind: 'document', resource: SettlementStatementSummary, list: false },
    find: async (records, participant, asked) =>
      published('settlement statement', records.latest('settlement-statement', participant, periodOf(asked))),
  },
  {
    number: 6,
    id: 'settlement-detail',
    summary: 'Settlement detail of one trading day',
    description: 'Of the run with the highest id.',
    path: `${SETTLEMENTS}/{marketService}/detail/{tradingDay}/{designation}`,
    entity: 'SETTLEMENT',
    parameters: [marketServices(), tradingDay, designation, participantCode],
    success: { kind: 'document', resource: SettlementOutputDetails, list: false },
    find: async (records, participant, { path }) => {
      const { marketService = '', tradingDay: day = '', designation: run = '' } = path;
      const { key } = askable(askDetail(marketService, day, run));
      return published('settlement detail', records.latest('settlement-detail', participant, key));
    },
  },
  {
    number: 7,
    id: 'settlement-estimation',
    summary: 'NSTEM estimation statement of one day',
    description: 'Of the run with the highest id.',
    path: `${SETTLEMENTS}/{marketService}/estimation/{periodFrom}/{designation}/{tradingDay}`,
    entity: 'SETTLEMENT',
    parameters: [marketServices(['NSTEM']), periodFrom, designation, tradingDay, participantCode],
    success: { kind: 'document', resource: SettlementOutputDetails, list: false },
    find: async (records, participant, { path }) => {
      const { marketService = '', periodFrom: from = '', designation: run = '', tradingDay: day = '' } = path;
      const { key } = askable(askEstimation(marketService, from, run, day));
      return published('settlement estimation', records.latest('settlement-estimation', participant, key));
    },
  },
  {
    number: 8,
    id: 'settlement-invoice-file',
    summary: 'Settlement invoice of a period as a PDF',
    description: 'The same invoice that the invoice operation answers.',
    path: `${SETTLEMENTS}/{marketService}/invoiceFile/{periodFrom}/{designation}`,
    entity: 'SETTLEMENT',
    parameters: [marketServices(), periodFrom, designation, participantCode],
    success: { kind: 'pdf', fileName: invoiceFileName },
    find: async (records, participant, asked) =>
      published(
        'settlement invoice',
        records.latest('settlement-invoice-file', participant, periodOf(asked)),
      ),
  },
  {
    number: 9,
    id: 'settlement-invoice',
    summary: 'Settlement invoice of a period',
    description: 'The invoice issued last.',
    path: `${SETTLEMENTS}/{marketService}/invoice/{periodFrom}/{designation}`,
    entity: 'SETTLEMENT',
    parameters: [marketServices(), periodFrom, designation, participantCode],
    success: { kind: 'document', resource: SettlementInvoice, list: false },
    find: async (records, participant, asked) =>
      published('settlement invoice', records.latest('settlement-invoice', participant, periodOf(asked))),
  },
  {
    number: 10,
    id: 'settlement-timeline',
    summary: 'Settlement cycle timeline',
    description: 'The cycles that have a run invoiced within the window; an empty list when there is none.',
    path: `${SETTLEMENTS}/timeline`,
    entity: 'SETTLEMENT',
    parameters: [
      dayInQuery('invoiceDateFrom', 'First invoice day', '2026-03-01'),
      dayInQuery('invoiceDateTo', 'Last invoice day', '2026-03-31'),
    ],
    success: { kind: 'document', resource: SettlementCycleTimeline, list: false },
    find: async (records, _participant, { query }) =>
      ofWindow(records.timeline(askable(askWindow(query, ['invoiceDateFrom', 'invoiceDateTo'])).window)),
  },
];

function dayOf({ path }: Asked) {
  return { tradingDay: askable(readDay('tradingDay', path.tradingDay ?? '')).day };
}

function periodOf({
  path: { marketService = '', periodFrom: from = '', designation: run = '' },
}: Asked): SettlementKey {
  return askable(askSettlement(marketService, from, run)).key;
}

/** Made of what was understood, never of what was sent. */
function invoiceFileName(asked: Asked): string {
  const { marketService, periodFrom: from, designation: run } = periodOf(asked);
  return `invoice-${marketService}-${from}-${run}.pdf`;
}
