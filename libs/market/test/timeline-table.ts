import { TIMELINE } from '@ssb/testing/market-records';
import { SettlementCycleTimeline } from '../src/resources/settlement/settlement-cycle-timeline.js';
import { ARRAY, dateTime, type FieldKind, oneOf, text } from './field-kinds.js';
import { type FieldTable, nullable, required } from './field-table.js';

const NAMED = oneOf(30, ['"INITIAL"', '"ADJ1"', '"ADJ2"', '"ADJ3"']);
/** A blank designation is valid for STEM only, and the record is of WEM. */
const DESIGNATION: FieldKind = {
  ...NAMED,
  invalid: NAMED.invalid.filter((value) => value !== '""'),
  invalidStrictly: ['""', '"   "'],
};

/** Document 000, SettlementCycleTimeline: a cycle of WEM. */
export const SETTLEMENT_CYCLE_TIMELINE: FieldTable<SettlementCycleTimeline> = {
  resource: SettlementCycleTimeline,
  record: TIMELINE,
  objects: {
    '': { cycles: nullable(ARRAY) },
    'cycles[0]': {
      period: required(text(30, ['"TW 05 Mar 2026"', '"TW 29 FEB 2024"'])),
      marketService: required(oneOf(20, ['"WEM"'])),
      periodFrom: required(dateTime()),
      periodTo: required(dateTime(['"2026-03-05T00:00:00"', '"2028-02-29T23:59:59"'])),
      runs: nullable(ARRAY),
    },
    'cycles[0].runs[0]': {
      designation: nullable(DESIGNATION),
      commencementDate: nullable(dateTime()),
      statementDate: required(dateTime()),
      invoiceDate: required(dateTime()),
      settlementDate: required(dateTime()),
    },
  },
};
