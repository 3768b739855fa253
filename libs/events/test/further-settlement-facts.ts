import type { EventDataByType } from '../src/definitions.js';
import { SETTLEMENT_FACTS, type SettlementType } from './settlement-facts.js';

const {
  'settlementbus.statement.published.v1': statement,
  'settlementbus.statement.revised.v1': revision,
  'settlementbus.statement.disagreement-due.v1': due,
  'settlementbus.statement.disagreement-lapsed.v1': lapsed,
  'settlementbus.invoice.issued.v1': invoice,
  'settlementbus.invoice.adjusted.v1': adjustedInvoice,
  'settlementbus.estimation.published.v1': estimation,
} = SETTLEMENT_FACTS;

/** Further data of some types, with the members that the examples do not have. */
export const FURTHER_SETTLEMENT_FACTS: readonly {
  readonly [Type in SettlementType]: { readonly type: Type; readonly data: EventDataByType[Type] };
}[SettlementType][] = [
  {
    type: 'settlementbus.statement.published.v1',
    data: { ...statement, disagreeUntil: undefined, late: undefined, restated: true },
  },
  { type: 'settlementbus.statement.disagreement-due.v1', data: { ...due, repetition: 2 } },
  { type: 'settlementbus.statement.disagreement-lapsed.v1', data: { ...lapsed, repetition: 2 } },
  {
    type: 'settlementbus.invoice.issued.v1',
    data: {
      ...invoice,
      reversedId: '',
      tradeWeek: undefined,
      tradeMonth: '2026-03',
      changed: {
        id: 'INV-0007',
        digest: adjustedInvoice.digest,
        dueDate: '2026-04-01',
        total: '-19622.70',
        payableAmount: '-19622.70',
        direction: 'receive',
      },
      repetition: 2,
      late: { dueDate: '2026-03-24', seconds: 86_400 },
      restated: true,
    },
  },
  {
    type: 'settlementbus.invoice.adjusted.v1',
    data: {
      ...adjustedInvoice,
      reversedId: 'INV-0030',
      tradeMonth: '2026-03',
      changed: {
        id: 'INV-0031',
        digest: revision.digest,
        dueDate: '2026-06-11',
        total: '126.51',
        payableAmount: '126.51',
        direction: 'pay',
      },
      repetition: 3,
      late: { dueDate: '2026-06-02', seconds: 86_400 },
      restated: true,
    },
  },
  {
    type: 'settlementbus.invoice.discrepancy.v1',
    data: {
      id: 'INV-0031',
      market: 'WEM',
      designation: 'ADJ1',
      periodFrom: adjustedInvoice.periodFrom,
      adjustment: 1,
      digest: adjustedInvoice.digest,
      comparedWith: revision.digest,
      discrepancies: [
        {
          rule: 'previous',
          path: 'adjustmentSummary.taxInvoiceAdjustment.gstFree.previous',
          expected: '50.00',
          stated: '60.00',
        },
      ],
      count: 1,
    },
  },
  {
    type: 'settlementbus.invoice.reversed.v1',
    data: { ...adjustedInvoice, tradeMonth: '2026-03', reversed: { id: 'INV-0030' }, repetition: 2 },
  },
  {
    type: 'settlementbus.statement.revised.v1',
    data: { ...revision, changes: undefined, repetition: 2 },
  },
  {
    type: 'settlementbus.estimation.published.v1',
    data: {
      ...estimation,
      isRevision: true,
      repetition: 2,
    },
  },
];
