import {
  createInvoiceIssuedEvent,
  createStatementPublishedEvent,
  type DetectedEvent,
  type Detection,
  type EventType,
} from '@ssb/events';
import { dateOf, sumDecimals, type SettlementInvoice, type SettlementStatementSummary } from '@ssb/market';
import type { SettlementFetch } from './settlement-fetches.js';

/** The event of an answer, or why the answer is not used. `version` distinguishes later versions of the same publication. */
export type SettlementEvent<Type extends EventType = EventType> =
  | { readonly ok: true; readonly event: DetectedEvent<Type>; readonly version: string }
  | { readonly ok: false; readonly reason: 'other-participant' | 'other-statement' | 'other-invoice' };

/** Builds the event of a statement. A statement of another participant or run is refused: its figures would get the wrong name. */
export function statementEvent(
  participant: string,
  fetch: SettlementFetch,
  statement: SettlementStatementSummary,
  detection: Detection,
): SettlementEvent<'settlementbus.statement.published.v1'> {
  if (statement.participantCode !== participant) return { ok: false, reason: 'other-participant' };
  if (!isRequested(statement, fetch)) return { ok: false, reason: 'other-statement' };
  const variables = statement.tradingDays.flatMap((day) =>
    day.variables.map((variable) => ({ tradingDay: day.tradingDay, ...variable })),
  );
  const sumOf = (pOrC: 'P' | 'C') =>
    sumDecimals(variables.filter((each) => each.pOrC === pOrC).map(({ value }) => value));
  const { marketService, designation, period, periodFrom, periodTo, runId, publishedAt } = statement;
  const event = createStatementPublishedEvent(
    {
      participant,
      marketService,
      designation,
      period,
      periodFrom,
      periodTo,
      runId,
      publishedAt,
      tradingDays: statement.tradingDays.length,
      totals: { payment: sumOf('P'), charge: sumOf('C') },
      variables,
    },
    detection,
  );
  return { ok: true, event, version: String(runId) };
}

function isRequested(statement: SettlementStatementSummary, fetch: SettlementFetch): boolean {
  return (
    statement.marketService === fetch.marketService &&
    statement.designation === fetch.designation &&
    dateOf(statement.periodFrom) === dateOf(fetch.periodFrom)
  );
}

/** Builds the event of an invoice. Period and designation come from the fetch, because an invoice carries neither. */
export function invoiceEvent(
  participant: string,
  fetch: SettlementFetch,
  invoice: SettlementInvoice,
  detection: Detection,
): SettlementEvent {
  if (invoice.market !== fetch.marketService) return { ok: false, reason: 'other-invoice' };
  const { id, reversedId, market, tradeWeek, tradeMonth, adjustment, invoiceDate, dueDate } = invoice;
  const event = createInvoiceIssuedEvent(
    {
      participant,
      id,
      reversedId: reversedId ?? undefined,
      market,
      designation: fetch.designation,
      periodFrom: fetch.periodFrom,
      tradeWeek: tradeWeek ?? undefined,
      tradeMonth: tradeMonth ?? undefined,
      // Optional in the document, where 0 is the initial version.
      adjustment: adjustment ?? 0,
      invoiceDate,
      dueDate,
      total: invoice.paymentSummary?.total,
      payableAmount: invoice.paymentSummary?.payableAmount,
      settlementRequired: invoice.paymentSummary?.settlementRequired,
    },
    detection,
  );
  return { ok: true, event, version: id };
}
