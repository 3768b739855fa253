import { CALCULATION, PRUDENTIAL_SUMMARY } from '@ssb/testing/market-records';
import {
  PrudentialCalculation,
  PrudentialCalculationSummary,
} from '../src/resources/prudential/prudential-calculation.js';
import { SettlementOutput } from '../src/resources/prudential/settlement-output.js';
import { ANY_TEXT, ARRAY, BOOLEAN, decimal, NUMBER, OPEN_DATE_TIME } from './field-kinds.js';
import { type FieldTable, nullable, optional } from './field-table.js';

/** Document 000, PrudentialCalculation: none of the fields is required. */
export const PRUDENTIAL_CALCULATION: FieldTable<PrudentialCalculation> = {
  resource: PrudentialCalculation,
  record: CALCULATION,
  objects: {
    '': {
      participantCode: nullable(ANY_TEXT),
      tradingDay: optional(OPEN_DATE_TIME),
      prepayment: optional(NUMBER),
      invoiceNotPaid: optional(NUMBER),
      cumulativeEstimatedExposure: optional(NUMBER),
      outstandingAmount: optional(NUMBER),
      creditSupport: optional(NUMBER),
      creditLimit: optional(NUMBER),
      tradingLimit: optional(NUMBER),
      tradingMargin: optional(NUMBER),
      calculatedAt: optional(OPEN_DATE_TIME),
      isForecast: optional(BOOLEAN),
    },
  },
};

/** Document 000, PrudentialCalculationSummary. */
export const PRUDENTIAL_CALCULATION_SUMMARY: FieldTable<PrudentialCalculationSummary> = {
  resource: PrudentialCalculationSummary,
  record: PRUDENTIAL_SUMMARY,
  objects: {
    '': {
      participantCode: nullable(ANY_TEXT),
      tradingDay: optional(OPEN_DATE_TIME),
      outstandingAmount: optional(NUMBER),
      tradingMargin: optional(NUMBER),
      calculatedAt: optional(OPEN_DATE_TIME),
    },
  },
};

const OUTPUT = `{
  "tradingDay": "2026-03-05T00:00:00",
  "tradingDays": [
    { "tradingDay": "2026-03-04T00:00:00",
      "variables": [
        { "variable": "EXPOSURE", "scope": "WPGENCO", "granularity": "D", "value": [123456789012345.12345678] } ] }
  ]
}`;

/** Document 000, SettlementOutput. */
export const SETTLEMENT_OUTPUT: FieldTable<SettlementOutput> = {
  resource: SettlementOutput,
  record: OUTPUT,
  objects: {
    '': { tradingDay: optional(OPEN_DATE_TIME), tradingDays: nullable(ARRAY) },
    'tradingDays[0]': { tradingDay: optional(OPEN_DATE_TIME), variables: nullable(ARRAY) },
    'tradingDays[0].variables[0]': {
      variable: nullable(ANY_TEXT),
      scope: nullable(ANY_TEXT),
      granularity: nullable(ANY_TEXT),
      value: nullable(ARRAY),
    },
  },
  items: { 'tradingDays[0].variables[0].value[0]': decimal(23, 8) },
};
