import { addDays, toMarketDate } from '@ssb/market';
import { participant } from './running-poller.js';

/** Requests of the poller to the reporting API (document 000), and responses about the participant of the running test. */
export const CALCULATIONS = '/api/v2/prudential';
export const TIMELINE = '/api/v2/settlements/timeline';
export const TODAY = toMarketDate(new Date());
export const FROM = addDays(TODAY, -14);
export const STATEMENT = `/api/v2/settlements/WEM/summary/${FROM}/INITIAL`;
export const INVOICE = `/api/v2/settlements/WEM/invoice/${FROM}/INITIAL`;

export const INVOICE_FILE = `/api/v2/settlements/WEM/invoiceFile/${FROM}/INITIAL`;

interface Timeline {
  readonly cycles: readonly object[];
}

/** The trading day of the calculations, and the market date on which they were made. */
export const TRADING_DAY = addDays(TODAY, -1);

/** One calculation of the participant; the time is `HH:mm:ss` of the trading day. */
export const calculation = (time: string, tradingMargin: string, code = participant): string =>
  `{"participantCode":"${code}","tradingDay":"${TRADING_DAY}T00:00:00","outstandingAmount":1.5,` +
  `"tradingMargin":${tradingMargin},"calculatedAt":"${TRADING_DAY}T${time}"}`;

/** When a calculation was made, as its event has it. */
export const factTime = (time: string): string => `${TRADING_DAY}T${time}+08:00`;

/** A response with these calculations. */
export const calculations = (...rows: readonly (readonly [time: string, tradingMargin: string])[]): string =>
  `[${rows.map(([time, tradingMargin]) => calculation(time, tradingMargin)).join(',')}]`;

export const timeline = (): string =>
  JSON.stringify({
    cycles: [
      {
        period: 'TW 01 Mar 2026',
        marketService: 'WEM',
        periodFrom: `${FROM}T00:00:00`,
        periodTo: `${addDays(FROM, 6)}T00:00:00`,
        runs: [
          {
            designation: 'INITIAL',
            commencementDate: `${addDays(TODAY, -1)}T00:00:00`,
            statementDate: `${TODAY}T00:00:00`,
            // It is not due during a test, not even after the market's midnight.
            invoiceDate: `${addDays(TODAY, 2)}T00:00:00`,
            settlementDate: `${addDays(TODAY, 5)}T00:00:00`,
          },
          {
            designation: 'ADJ1',
            commencementDate: `${addDays(TODAY, 30)}T00:00:00`,
            statementDate: `${addDays(TODAY, 31)}T00:00:00`,
            invoiceDate: `${addDays(TODAY, 32)}T00:00:00`,
            settlementDate: `${addDays(TODAY, 35)}T00:00:00`,
          },
        ],
      },
    ],
  });

/** A timeline with the same cycle in each of these weeks. */
export const timelineWithWeeks = (weeks: readonly string[]): string => {
  const { cycles } = JSON.parse(timeline()) as Timeline;
  const all = weeks.flatMap((from) => cycles.map((cycle) => ({ ...cycle, periodFrom: `${from}T00:00:00` })));
  return JSON.stringify({ cycles: all });
};

export const statement = (code = participant): string =>
  `{"runId":7,"publishedAt":"2026-03-10T08:00:00","marketService":"WEM","designation":"INITIAL",` +
  `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${addDays(FROM, 6)}T00:00:00",` +
  `"participantCode":"${code}","tradingDays":[{"tradingDay":"${FROM}T00:00:00","variables":[` +
  `{"variable":"A","pOrC":"P","gstApplicable":"Y","value":123456789012345.67890123},` +
  `{"variable":"B","pOrC":"P","gstApplicable":"Y","value":0.00000001},` +
  `{"variable":"C","pOrC":"C","gstApplicable":"N","value":20.10}]}]}`;

/** A statement of this many variables, each fourth a charge, as the operator sends it and in the RFC 8785 form of its record. */
export function statementWithVariables(count: number): { json: string; canonical: string } {
  const days = [FROM, addDays(FROM, 1)].map((day, index) => {
    const numbers = Array.from({ length: count / 2 }, (_, at) => index * (count / 2) + at);
    const variables = numbers.map((number) => ({
      name: `VARIABLE_WITH_A_LONG_NAME_${number}`,
      pOrC: number % 4 === 0 ? 'C' : 'P',
      gst: number % 2 === 0 ? 'Y' : 'N',
    }));
    return { day: `${day}T00:00:00`, variables };
  });
  // JSON.stringify would lose the digits of the values.
  const sent = days.map(({ day, variables }) => {
    const list = variables.map(
      ({ name, pOrC, gst }) =>
        `{"variable":"${name}","pOrC":"${pOrC}","gstApplicable":"${gst}","value":${pOrC === 'C' ? '100.00000001' : '1.0000000001E2'}}`,
    );
    return `{"tradingDay":"${day}","variables":[${list.join(',')}]}`;
  });
  const canonicalDays = days.map(({ day, variables }) => {
    const list = variables.map(
      ({ name, pOrC, gst }) =>
        `{"gstApplicable":"${gst}","pOrC":"${pOrC}","value":"${pOrC === 'C' ? '100.00000001' : '100.00000001'}","variable":"${name}"}`,
    );
    return `{"tradingDay":"${day}","variables":[${list.join(',')}]}`;
  });
  const to = `${addDays(FROM, 6)}T00:00:00`;
  return {
    json:
      `{"runId":7,"publishedAt":"2026-03-10T08:00:00","marketService":"WEM","designation":"INITIAL",` +
      `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${to}",` +
      `"participantCode":"${participant}","tradingDays":[${sent.join(',')}]}`,
    canonical:
      `{"designation":"INITIAL","marketService":"WEM","participantCode":"${participant}",` +
      `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${to}",` +
      `"publishedAt":"2026-03-10T08:00:00","runId":7,"tradingDays":[${canonicalDays.join(',')}]}`,
  };
}

export const invoice = (): string =>
  `{"id":"INV-1","invoiceDate":"2026-03-11","dueDate":"2026-03-17","market":"WEM","adjustment":null,` +
  `"paymentSummary":{"total":10.00,"payableAmount":10.00,"settlementRequired":true}}`;
