import {
  SettlementCycleTimeline,
  SettlementInvoice,
  SettlementOutputDetails,
  SettlementStatementSummary,
} from '@ssb/market';
import { askWindow } from '../domain/day-window.js';
import {
  askDetail,
  askEstimation,
  askSettlement,
  type SettlementKey,
} from '../domain/settlement-question.js';
import { askable, ofWindow, published } from './failures.js';
import type { Asked, Operation } from './operation.js';
import {
  dayInQuery,
  designation,
  marketServices,
  participantCode,
  periodFrom,
  tradingDay,
} from './operation.js';

const SETTLEMENTS = '/api/v2/settlements';

/** Operations 5 to 10 of document 000. */
export const settlementOperations: readonly Operation[] = [
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
