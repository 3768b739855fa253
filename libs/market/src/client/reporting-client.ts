import type { TlsMaterial } from '@ssb/net';
import type { SettlementInvoice } from '../resources/invoice/settlement-invoice.js';
import type {
  PrudentialCalculation,
  PrudentialCalculationSummary,
} from '../resources/prudential/prudential-calculation.js';
import type { SettlementOutput } from '../resources/prudential/settlement-output.js';
import type { SettlementCycleTimeline } from '../resources/settlement/settlement-cycle-timeline.js';
import type { SettlementOutputDetails } from '../resources/settlement/settlement-output-details.js';
import type { SettlementStatementSummary } from '../resources/settlement/settlement-statement-summary.js';
import type { IndexedResponse, PartialResponse } from '../schema/partial-read.js';
import type { Designation, MarketService } from '../values/market-service.js';
import { type MarketDate, type MarketDateTime, dateOf } from '../values/market-time.js';
import type { ReportingClientOptions } from './reporting-client-options.js';
import { ReportingRequests } from './reporting-requests.js';
import {
  InvoiceResponse,
  OutputDetailsResponse,
  OutputResponse,
  PRUDENTIAL_RANGE_ITEMS,
  PrudentialRangeResponse,
  PrudentialSummaryResponse,
  type ResponseBody,
  StatementResponse,
  TIMELINE_ITEMS,
  TimelineResponse,
} from './reporting-responses.js';
import { LastResponseCache, readInvoiceFile } from './response-bodies.js';

/** The path of operation 5. */
export function statementPath(
  marketService: MarketService,
  periodFrom: MarketDate | MarketDateTime,
  designation: Designation,
): string {
  return `/api/v2/settlements/${marketService}/summary/${dateOf(periodFrom)}/${designation}`;
}

/**
 * Client of the reporting API (document 000). An operation on one document returns `undefined` for a 404 in the form
 * of the market. A list operation (1 and 10) has no 404 and can return an empty list. Requests are retried
 * according to `options.retry`. The poller does not retry.
 *
 * Throws ReportingForbiddenError, ReportingUnavailableError, MalformedResponseError, TokenRefusedError,
 * TokenUnavailableError, and the errors of the request limiter.
 */
export class ReportingClient {
  private readonly requests: ReportingRequests;
  private readonly timelineCache = new LastResponseCache<ResponseBody<SettlementCycleTimeline>>();

  constructor(options: ReportingClientOptions) {
    this.requests = new ReportingRequests(options);
  }

  /**
   * Operation 1: all readable calculations, forecasts included, of the trading days `from` to `to` inclusive. The
   * market can send `null` in place of an empty array.
   */
  async prudentialRange(
    from: MarketDate | MarketDateTime,
    to: MarketDate | MarketDateTime,
  ): Promise<IndexedResponse<PrudentialCalculation[]>> {
    const query = { dateFrom: dateOf(from), dateTo: dateOf(to) };
    const request = { path: '/api/v2/prudential', query, items: PRUDENTIAL_RANGE_ITEMS };
    const response = await this.requests.getList(PrudentialRangeResponse, request);
    return { ...response, value: response.value ?? [] };
  }

  /** Operation 2: the latest outstanding amount and trading margin. */
  latestPrudentialSummary(): Promise<PrudentialCalculationSummary | undefined> {
    return this.requests.get(PrudentialSummaryResponse, '/api/v2/prudential/summary/latest');
  }

  /** Operation 3: the low-level figures of one trading day's estimated exposure. */
  prudentialDetail(tradingDay: MarketDate | MarketDateTime): Promise<SettlementOutput | undefined> {
    return this.requests.get(OutputResponse, `/api/v2/prudential/detail/${dateOf(tradingDay)}`);
  }

  /** Operation 4: the NSTEM estimation of one trading day. */
  prudentialEstimation(tradingDay: MarketDate | MarketDateTime): Promise<SettlementOutput | undefined> {
    return this.requests.get(OutputResponse, `/api/v2/prudential/estimation/${dateOf(tradingDay)}`);
  }

  /** Operation 5: the statement of the period that begins on `periodFrom`. */
  statement(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementStatementSummary | undefined> {
    return this.requests.get(StatementResponse, statementPath(marketService, periodFrom, designation));
  }

  /** Operation 6: the figures of a statement for one trading day of its period. */
  statementDetail(
    marketService: MarketService,
    tradingDay: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementOutputDetails | undefined> {
    const path = `/api/v2/settlements/${marketService}/detail/${dateOf(tradingDay)}/${designation}`;
    return this.requests.get(OutputDetailsResponse, path);
  }

  /** Operation 7: the estimation statement of one trading day; NSTEM only. */
  statementEstimation(
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
    tradingDay: MarketDate | MarketDateTime,
  ): Promise<SettlementOutputDetails | undefined> {
    const path = `/api/v2/settlements/NSTEM/estimation/${dateOf(periodFrom)}/${designation}/${dateOf(tradingDay)}`;
    return this.requests.get(OutputDetailsResponse, path);
  }

  /** Operation 8: the invoice of operation 9 as the bytes of a PDF. @param maxBytes a larger one is refused */
  async invoiceFile(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
    maxBytes?: number,
  ): Promise<Uint8Array | undefined> {
    const path = `/api/v2/settlements/${marketService}/invoiceFile/${dateOf(periodFrom)}/${designation}`;
    const request = { path, query: {}, accept: 'application/pdf', maxBodyBytes: maxBytes };
    const response = await this.requests.fetch(request);
    return response && readInvoiceFile(`GET ${path}`, response);
  }

  /** Operation 9: the invoice of the period that begins on `periodFrom`. */
  invoice(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementInvoice | undefined> {
    const path = `/api/v2/settlements/${marketService}/invoice/${dateOf(periodFrom)}/${designation}`;
    return this.requests.get(InvoiceResponse, path);
  }

  /**
   * Operation 10: the readable cycles with an invoice date between the two dates inclusive. An unchanged response
   * returns the same `value`, so callers must not change it.
   */
  timeline(
    invoiceDateFrom: MarketDate | MarketDateTime,
    invoiceDateTo: MarketDate | MarketDateTime,
  ): Promise<PartialResponse<SettlementCycleTimeline>> {
    const query = { invoiceDateFrom: dateOf(invoiceDateFrom), invoiceDateTo: dateOf(invoiceDateTo) };
    const request = { path: '/api/v2/settlements/timeline', query, items: TIMELINE_ITEMS };
    return this.requests.getList(TimelineResponse, request, this.timelineCache);
  }

  /** New connections use this certificate; no restart is needed. */
  renewTls(tls: TlsMaterial): Promise<void> {
    return this.requests.renewTls(tls);
  }

  /** Closes the connections. The caller closes the token source. */
  close(): Promise<void> {
    return this.requests.close();
  }
}
