import { type TlsMaterial, retry } from '@ssb/net';
import type { SettlementInvoice } from '../resources/invoice/settlement-invoice.js';
import type {
  PrudentialCalculation,
  PrudentialCalculationSummary,
} from '../resources/prudential/prudential-calculation.js';
import type { SettlementOutput } from '../resources/prudential/settlement-output.js';
import type { SettlementCycleTimeline } from '../resources/settlement/settlement-cycle-timeline.js';
import type { SettlementOutputDetails } from '../resources/settlement/settlement-output-details.js';
import type { SettlementStatementSummary } from '../resources/settlement/settlement-statement-summary.js';
import {
  type IndexedResponse,
  type ItemPath,
  type PartialResponse,
  readPartially,
} from '../schema/partial-read.js';
import type { Resource } from '../schema/resource.js';
import type { Designation, MarketService } from '../values/market-service.js';
import { type MarketDate, type MarketDateTime, dateOf } from '../values/market-time.js';
import { MalformedResponseError, ReportingForbiddenError, ReportingUnavailableError } from './errors.js';
import { BearerTransport } from './http/bearer-transport.js';
import { HttpClient, type HttpRequest, type HttpResponse, NoResponseError } from './http/http-client.js';
import { RateLimitedTransport } from './http/rate-limited-transport.js';
import type { ReportingClientOptions } from './reporting-client-options.js';
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
import {
  JSON_TYPES,
  LastResponseCache,
  noList,
  readInvoiceFile,
  readJsonBody,
  assertMarketNotFound,
} from './response-bodies.js';
import { DEFAULT_RETRY, retryDelayMs } from './retry-policy.js';

/** The path of operation 5. */
export function statementPath(
  marketService: MarketService,
  periodFrom: MarketDate | MarketDateTime,
  designation: Designation,
): string {
  return `/api/v2/settlements/${marketService}/summary/${dateOf(periodFrom)}/${designation}`;
}

interface PartialRequest {
  readonly path: string;
  readonly query: Record<string, string>;
  /** Items that are left out when they are unreadable. */
  readonly items: readonly ItemPath[];
}

/**
 * Client of the reporting API (document 000). An operation on one document returns `undefined` for a 404 in the form
 * of the market. A list operation (1 and 10) has no 404 and can return an empty list. Failed requests are repeated
 * according to the retry policy.
 *
 * Throws ReportingForbiddenError, ReportingUnavailableError, MalformedResponseError, TokenRefusedError,
 * TokenUnavailableError, and the errors of the request limiter.
 */
export class ReportingClient {
  private readonly http: HttpClient;
  private readonly transport: BearerTransport;
  private readonly timelineCache = new LastResponseCache<ResponseBody<SettlementCycleTimeline>>();

  constructor(private readonly options: ReportingClientOptions) {
    const { baseUrl, tls, proxy, timeoutMs, maxResponseBytes, requestLimiter, signal, tokenSource, now } =
      options;
    const { onClockReading } = options;
    this.http = new HttpClient({
      baseUrl,
      tls,
      proxy,
      timeoutMs,
      maxBodyBytes: maxResponseBytes,
      onClockReading,
    });
    const limited =
      requestLimiter === undefined ? this.http : new RateLimitedTransport(this.http, requestLimiter, signal);
    this.transport = new BearerTransport(limited, tokenSource, now);
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
    const response = await this.getList(PrudentialRangeResponse, request);
    return { ...response, value: response.value ?? [] };
  }

  /** Operation 2: the latest outstanding amount and trading margin. */
  latestPrudentialSummary(): Promise<PrudentialCalculationSummary | undefined> {
    return this.get(PrudentialSummaryResponse, '/api/v2/prudential/summary/latest');
  }

  /** Operation 3: the low-level figures of one trading day's estimated exposure. */
  prudentialDetail(tradingDay: MarketDate | MarketDateTime): Promise<SettlementOutput | undefined> {
    return this.get(OutputResponse, `/api/v2/prudential/detail/${dateOf(tradingDay)}`);
  }

  /** Operation 4: the NSTEM estimation of one trading day. */
  prudentialEstimation(tradingDay: MarketDate | MarketDateTime): Promise<SettlementOutput | undefined> {
    return this.get(OutputResponse, `/api/v2/prudential/estimation/${dateOf(tradingDay)}`);
  }

  /** Operation 5: the statement of the period that begins on `periodFrom`. */
  statement(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementStatementSummary | undefined> {
    return this.get(StatementResponse, statementPath(marketService, periodFrom, designation));
  }

  /** Operation 6: the figures of a statement for one trading day of its period. */
  statementDetail(
    marketService: MarketService,
    tradingDay: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementOutputDetails | undefined> {
    const path = `/api/v2/settlements/${marketService}/detail/${dateOf(tradingDay)}/${designation}`;
    return this.get(OutputDetailsResponse, path);
  }

  /** Operation 7: the estimation statement of one trading day; NSTEM only. */
  statementEstimation(
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
    tradingDay: MarketDate | MarketDateTime,
  ): Promise<SettlementOutputDetails | undefined> {
    const path = `/api/v2/settlements/NSTEM/estimation/${dateOf(periodFrom)}/${designation}/${dateOf(tradingDay)}`;
    return this.get(OutputDetailsResponse, path);
  }

  /** Operation 8: the invoice of operation 9 as the bytes of a PDF. */
  async invoiceFile(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<Uint8Array | undefined> {
    const path = `/api/v2/settlements/${marketService}/invoiceFile/${dateOf(periodFrom)}/${designation}`;
    const response = await this.fetch(path, {}, 'application/pdf');
    return response && readInvoiceFile(`GET ${path}`, response);
  }

  /** Operation 9: the invoice of the period that begins on `periodFrom`. */
  invoice(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementInvoice | undefined> {
    const path = `/api/v2/settlements/${marketService}/invoice/${dateOf(periodFrom)}/${designation}`;
    return this.get(InvoiceResponse, path);
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
    return this.getList(TimelineResponse, request, this.timelineCache);
  }

  /** New connections use this certificate; no restart is needed. */
  renewTls(tls: TlsMaterial): Promise<void> {
    return this.http.renewTls(tls);
  }

  /** Closes the connections. The caller closes the token source. */
  close(): Promise<void> {
    return this.http.close();
  }

  private async get<T>(resource: Resource<ResponseBody<T>>, path: string): Promise<T | undefined> {
    return (await this.getPartially(resource, { path, query: {}, items: [] }))?.value;
  }

  /** @throws MalformedResponseError for a 404: the address, a proxy or the requested days are wrong */
  private async getList<T>(
    resource: Resource<ResponseBody<T>>,
    request: PartialRequest,
    cache?: LastResponseCache<ResponseBody<T>>,
  ): Promise<IndexedResponse<T>> {
    const response = await this.getPartially(resource, request, cache);
    if (response === undefined) throw noList(`GET ${request.path}`);
    return response;
  }

  private async getPartially<T>(
    resource: Resource<ResponseBody<T>>,
    { path, query, items }: PartialRequest,
    cache?: LastResponseCache<ResponseBody<T>>,
  ): Promise<IndexedResponse<T> | undefined> {
    const operation = `GET ${path}`;
    const response = await this.fetch(path, query, JSON_TYPES.join(', '));
    if (response === undefined) return undefined;
    const read = () => readPartially(resource, readJsonBody(operation, response), items);
    const result = cache === undefined ? read() : cache.getOrRead(response, read);
    if (!result.ok) throw new MalformedResponseError(operation, result.issues);
    if (result.unknownProperties.length > 0)
      this.options.onUnknownProperties?.(resource.name, result.unknownProperties);
    const { value, unreadable, indexes } = result;
    return { value: value.data, unreadable, indexes };
  }

  /** The response of status 200; undefined for 404. @throws the signal's reason when it is aborted during a wait */
  private async fetch(
    path: string,
    query: Record<string, string>,
    accept: string,
  ): Promise<HttpResponse | undefined> {
    const { retry: policy = DEFAULT_RETRY, signal } = this.options;
    const delayMs = (error: unknown, failed: number): number | undefined =>
      retryDelayMs(error, failed, policy, Math.random());
    try {
      return await retry(() => this.fetchOnce(path, query, accept), { delayMs, signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  private async fetchOnce(
    path: string,
    query: Record<string, string>,
    accept: string,
  ): Promise<HttpResponse | undefined> {
    const operation = `GET ${path}`;
    const response = await this.send(operation, { method: 'GET', path, query, headers: { accept } });
    switch (response.status) {
      case 200:
        return response;
      case 404:
        assertMarketNotFound(operation, response, this.options.notFoundMembers);
        return undefined;
      case 401:
      case 403:
        throw new ReportingForbiddenError(operation, response.status);
      default:
        throw new ReportingUnavailableError(operation, response.status, response.retryAfterMs);
    }
  }

  private async send(operation: string, request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.transport.send(request);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new ReportingUnavailableError(operation, undefined, undefined, { cause: error });
    }
  }
}
