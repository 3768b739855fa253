import { STATEMENT } from '@ssb/testing/market-records';
import { SettlementOutputDetails } from '../src/resources/settlement/settlement-output-details.js';
import { SettlementStatementSummary } from '../src/resources/settlement/settlement-statement-summary.js';
import { ARRAY, dateTime, decimal, int32, oneOf, text } from './field-kinds.js';
import { type FieldTable, nullable, required } from './field-table.js';

const MARKET_SERVICE = oneOf(20, ['"WEM"', '"NSTEM"']);
const DESIGNATION = oneOf(30, ['"INITIAL"', '"ADJ1"', '"ADJ2"', '"ADJ3"']);

/** Document 000, SettlementStatementSummary. Its trading days lie within the period. */
export const SETTLEMENT_STATEMENT_SUMMARY: FieldTable<SettlementStatementSummary> = {
  resource: SettlementStatementSummary,
  record: STATEMENT,
  objects: {
    '': {
      runId: required(int32(1, 2147483647)),
      publishedAt: required(dateTime()),
      marketService: required(oneOf(20, ['"WEM"', '"NSTEM"', '"STEM"'])),
      designation: required(DESIGNATION),
      period: required(text(40)),
      periodFrom: required(dateTime()),
      periodTo: required(dateTime(['"2026-03-05T00:00:00"', '"2028-02-29T23:59:59"'])),
      participantCode: required(text(60)),
      tradingDays: required(ARRAY),
    },
    'tradingDays[0]': {
      tradingDay: required(dateTime(['"2026-03-05T00:00:00"', '"2026-03-11T23:59:59"'])),
      variables: required(ARRAY),
    },
    'tradingDays[0].variables[0]': {
      variable: required(text(60)),
      pOrC: required(oneOf(8, ['"P"', '"C"'])),
      gstApplicable: required(oneOf(1, ['"Y"', '"N"'])),
      value: required(decimal(23, 8)),
    },
  },
};

const DETAILS = `{
  "runId": 7,
  "publishedAt": "2026-03-12T09:30:00",
  "marketService": "NSTEM",
  "designation": "INITIAL",
  "period": "Mar 2026",
  "periodFrom": "2026-03-01T00:00:00",
  "periodTo": "2026-03-31T00:00:00",
  "participantCode": "WPGENCO",
  "tradingDay": "2026-03-05T00:00:00",
  "tradingDays": [
    { "tradingDay": "2026-03-05T00:00:00",
      "variables": [
        { "variable": "ENERGY", "scope": "FACILITY", "granularity": "D", "value": [123456789012345.12345678] } ] }
  ]
}`;

/** Document 000, SettlementOutputDetails. The trading day lies within the period. */
export const SETTLEMENT_OUTPUT_DETAILS: FieldTable<SettlementOutputDetails> = {
  resource: SettlementOutputDetails,
  record: DETAILS,
  objects: {
    '': {
      runId: required(int32(1, 2147483647)),
      publishedAt: required(dateTime()),
      marketService: required(MARKET_SERVICE),
      designation: required(DESIGNATION),
      period: required(text(30)),
      periodFrom: required(dateTime(['"2024-02-29T00:00:00"', '"2026-03-05T00:00:00"'])),
      periodTo: required(dateTime(['"2026-03-05T00:00:00"', '"2028-02-29T00:00:00"'])),
      participantCode: required(text(20)),
      tradingDay: required(dateTime(['"2026-03-01T00:00:00"', '"2026-03-31T00:00:00"'])),
      tradingDays: required(ARRAY),
    },
    'tradingDays[0]': { tradingDay: required(dateTime()), variables: required(ARRAY) },
    'tradingDays[0].variables[0]': {
      variable: required(text(60)),
      scope: required(text(70)),
      granularity: required(text(5, ['"D"', '"W"', '"W?"', '"M"', '"CY"', '"FY"'])),
      value: nullable(ARRAY),
    },
  },
  items: { 'tradingDays[0].variables[0].value[0]': decimal(23, 8) },
};
