/** JSON texts of records. Served documents must have exactly these digits. */

export const STATEMENT = `{"runId":RUN,"publishedAt":"2026-03-12T10:00:00","marketService":"WEM","designation":"INITIAL","period":"TW 01 MAR 2026","periodFrom":"2026-03-01T00:00:00","periodTo":"2026-03-07T00:00:00","participantCode":"WPGENCO","tradingDays":[{"tradingDay":"2026-03-01T00:00:00","variables":[{"variable":"ENERGY","pOrC":"P","gstApplicable":"Y","value":123456789012345.12345678}]}]}`;

export const statement = (runId: number): string => STATEMENT.replace('RUN', String(runId));

export const statementLoad = (runId: number): string => `{"statement":${statement(runId)}}`;

export const invoice = (id: string, invoiceDate: string): string =>
  `{"id":"${id}","invoiceDate":"${invoiceDate}","dueDate":"2026-03-20","market":"WEM","tradeWeek":"TW 01 MAR 2026","adjustment":0,"paymentSummary":{"lineItems":[{"code":"ENERGY","amount":1234567890123456.10}],"total":1234567890123456.10,"payableAmount":1234567890123456.10,"settlementRequired":true}}`;

export const invoiceLoad = (id: string, invoiceDate: string): string =>
  `{"participantCode":"WPGENCO","marketService":"WEM","periodFrom":"2026-03-01","designation":"INITIAL","invoice":${invoice(id, invoiceDate)}}`;

export const prudentialLoad = (calculatedAt: string, tradingMargin: string, isForecast = false): string =>
  `{"participantCode":"WPGENCO","calculation":{"participantCode":"WPGENCO","tradingDay":"2026-03-12T00:00:00","outstandingAmount":5000000.50,"tradingMargin":${tradingMargin},"calculatedAt":"${calculatedAt}","isForecast":${isForecast}}}`;

export const cycle = (periodFrom: string, invoiceDates: readonly string[]): string =>
  `{"period":"TW 01 MAR 2026","marketService":"WEM","periodFrom":"${periodFrom}T00:00:00","periodTo":"${periodFrom}T00:00:00","runs":[${invoiceDates
    .map(
      (day) =>
        `{"designation":"INITIAL","statementDate":"${day}T00:00:00","invoiceDate":"${day}T00:00:00","settlementDate":"${day}T00:00:00"}`,
    )
    .join(',')}]}`;

export const timelineLoad = (...cycles: string[]): string => `{"timeline":{"cycles":[${cycles.join(',')}]}}`;
