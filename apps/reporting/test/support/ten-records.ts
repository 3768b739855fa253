import type { RunningReporting } from './running-reporting.js';
import * as record from './records.js';

/** 23 digits, 8 of them after the point: a double cannot represent them. */
const DIGITS = '123456789012345.12345678';

export const RANGE_CALCULATION =
  '{"participantCode":"WPGENCO","tradingDay":"2026-03-01T00:00:00","prepayment":0.10,"creditLimit":12345678901234567890.125,"tradingMargin":-1.00,"calculatedAt":"2026-03-02T06:00:00","isForecast":true}';

export const output = (variable: string): string =>
  `{"tradingDay":"2026-03-01T00:00:00","tradingDays":[{"tradingDay":"2026-03-01T00:00:00","variables":[{"variable":"${variable}","scope":null,"granularity":"D","value":[${DIGITS},-0.50]}]}]}`;

export const details = (marketService: string): string =>
  `{"runId":5,"publishedAt":"2026-03-12T10:00:00","marketService":"${marketService}","designation":"INITIAL","period":"MAR 2026","periodFrom":"2026-03-01T00:00:00","periodTo":"2026-03-31T00:00:00","participantCode":"WPGENCO","tradingDay":"2026-03-01T00:00:00","tradingDays":[{"tradingDay":"2026-03-01T00:00:00","variables":[{"variable":"ENERGY","scope":"GENCO_U1","granularity":"D","value":[${DIGITS}]}]}]}`;

export const cycle = record.cycle('2026-03-01', ['2026-03-12']);

/** Loads one record for each of the ten operations, with the keys of the examples in the OpenAPI document. */
export async function loadTenRecords(reporting: RunningReporting): Promise<void> {
  const loads: [path: string, body: string][] = [
    ['prudential', `{"participantCode":"WPGENCO","calculation":${RANGE_CALCULATION}}`],
    ['prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10')],
    ['prudential-details', outputLoad('EXPOSURE')],
    ['prudential-estimations', outputLoad('ESTIMATE')],
    ['statements', record.statementLoad(8)],
    ['statement-details', `{"details":${details('WEM')}}`],
    ['statement-estimations', `{"details":${details('NSTEM')}}`],
    ['invoices', record.invoiceLoad('INV-2', '2026-03-13')],
    ['timelines', record.timelineLoad(cycle)],
  ];
  for (const [path, body] of loads) {
    const { status, body: response } = await reporting.post(`/operator/v1/${path}`, body);
    if (status !== 201) throw new Error(`${path} responded with ${status}: ${response}`);
  }
}

const outputLoad = (variable: string): string =>
  `{"participantCode":"WPGENCO","calculatedAt":"2026-03-02T06:00:00","output":${output(variable)}}`;
