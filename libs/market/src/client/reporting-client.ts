import { retry } from '@ssb/resilience';
import type { Designation, MarketService } from '../market-service.js';
import { type MarketDate, type MarketDateTime, dateOf } from '../market-time.js';
import type { Reading, Resource } from '../resource.js';
import type { PrudentialCalculation } from '../resources/prudential-calculation.js';
import type { PrudentialCalculationSummary } from '../resources/prudential-calculation-summary.js';
import type { SettlementCycleTimeline } from '../resources/settlement-cycle-timeline.js';
import type { SettlementInvoice } from '../resources/settlement-invoice.js';
import type { SettlementOutputDetails } from '../resources/settlement-output-details.js';
import type { SettlementOutput } from '../resources/settlement-output.js';
import type { SettlementStatementSummary } from '../resources/settlement-statement-summary.js';
import { exchangeWithBearer } from './bearer-exchange.js';
import { readInvoiceFile } from './invoice-file.js';
import { DEFAULT_RETRY, retryAfter } from './domain/retry-table.js';
import { MalformedResponseError, ReportingForbiddenError, ReportingUnavailableError } from './errors.js';
import {
  type Exchanger,
  type HttpAnswer,
  HttpEdge,
  type HttpRequest,
  NoAnswerError,
  type TlsMaterial,
} from './http-edge.js';
import {
  InvoiceResponse,
  OutputDetailsResponse,
  OutputResponse,
  PrudentialRangeResponse,
  PrudentialSummaryResponse,
  type ResponseBody,
  StatementResponse,
  TimelineResponse,
} from './responses.js';
import type { InterfaceProfile } from './interface-profile.js';
import { JSON_TYPES, readJsonBody } from './json-body.js';
import { LastReading } from './last-reading.js';
import { requireNothingPublished } from './nothing-published.js';
import { throughGate } from './request-gate.js';
import type { TokenProvider } from './token-source.js';

export interface ReportingClientOptions extends InterfaceProfile {
  readonly tokenSource: TokenProvider;
  /** Once aborted, nothing waits any more, neither for the gate nor for a repeat: the operation throws the signal's reason. What is sent is brought to its end. */
  readonly signal?: AbortSignal | undefined;
  /** Told the paths of properties that the document does not know and that were dropped. */
  readonly onUnknownProperties?: (resource: string, paths: readonly string[]) => void;
  /** The clock, epoch milliseconds. */
  readonly now?: () => number;
}

/**
 * The reporting API of document 000 as its participant sees it. Every operation answers `undefined` for a 404 of the market, and throws
 * ReportingForbiddenError, ReportingUnavailableError, MalformedResponseError, TokenRefusedError or TokenUnavailableError, or what the
 * gate of its profile throws. What is worth another try is tried again first, as the retry table says.
 */
export class ReportingClient {
  private readonly edge: HttpEdge;
  private readonly exchanger: Exchanger;
  private readonly lastTimeline = new LastReading<ResponseBody<SettlementCycleTimeline>>();

  constructor(private readonly options: ReportingClientOptions) {
    const { baseUrl, tls, timeoutMs, maxResponseBytes, gate, signal } = options;
    this.edge = new HttpEdge({ baseUrl, tls, timeoutMs, maxBodyBytes: maxResponseBytes });
    this.exchanger = gate === undefined ? this.edge : throughGate(this.edge, gate, signal);
  }

  /**
   * Operation 1: every calculation, forecasts too, for the trading days from the first to the last, both included. The document lets the
   * market answer `null` instead of an empty array: both mean none.
   */
  async prudentialRange(
    from: MarketDate | MarketDateTime,
    to: MarketDate | MarketDateTime,
  ): Promise<PrudentialCalculation[] | undefined> {
    const query = { dateFrom: dateOf(from), dateTo: dateOf(to) };
    const calculations = await this.get(PrudentialRangeResponse, '/api/v2/prudential', query);
    return calculations === null ? [] : calculations;
  }

  /** Operation 2: the latest outstanding amount and trading margin. */
  latestPrudentialSummary(): Promise<PrudentialCalculationSummary | undefined> {
    return this.get(PrudentialSummaryResponse, '/api/v2/prudential/summary/latest');
  }

  /** Operation 3: the low-level figures behind one trading day's estimated exposure. */
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
    const path = `/api/v2/settlements/${marketService}/summary/${dateOf(periodFrom)}/${designation}`;
    return this.get(StatementResponse, path);
  }

  /** Operation 6: the figures behind a statement, for one trading day of its period. */
  statementDetail(
    marketService: MarketService,
    tradingDay: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<SettlementOutputDetails | undefined> {
    const path = `/api/v2/settlements/${marketService}/detail/${dateOf(tradingDay)}/${designation}`;
    return this.get(OutputDetailsResponse, path);
  }

  /** Operation 7: the estimation statement of one trading day. Only NSTEM has them. */
  statementEstimation(
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
    tradingDay: MarketDate | MarketDateTime,
  ): Promise<SettlementOutputDetails | undefined> {
    const days = { from: dateOf(periodFrom), of: dateOf(tradingDay) };
    const path = `/api/v2/settlements/NSTEM/estimation/${days.from}/${designation}/${days.of}`;
    return this.get(OutputDetailsResponse, path);
  }

  /** Operation 8: the same invoice that operation 9 answers, as the bytes of a PDF. */
  async invoiceFile(
    marketService: MarketService,
    periodFrom: MarketDate | MarketDateTime,
    designation: Designation,
  ): Promise<Uint8Array | undefined> {
    const path = `/api/v2/settlements/${marketService}/invoiceFile/${dateOf(periodFrom)}/${designation}`;
    const answer = await this.ask(path, {}, 'application/pdf');
    return answer && readInvoiceFile(`GET ${path}`, answer);
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
   * Operation 10: the cycles with an invoice day from the first to the last date, both included. The same answer gives the same
   * object again, so callers do not change it.
   */
  timeline(
    invoiceDateFrom: MarketDate | MarketDateTime,
    invoiceDateTo: MarketDate | MarketDateTime,
  ): Promise<SettlementCycleTimeline | undefined> {
    const query = { invoiceDateFrom: dateOf(invoiceDateFrom), invoiceDateTo: dateOf(invoiceDateTo) };
    return this.get(TimelineResponse, '/api/v2/settlements/timeline', query, this.lastTimeline);
  }

  /** From now on new connections show this certificate: a renewal needs no restart. */
  renewTls(tls: TlsMaterial): Promise<void> {
    return this.edge.renewTls(tls);
  }

  /** Closes the connections; the token source is its owner's to close. */
  close(): Promise<void> {
    return this.edge.close();
  }

  private async get<T>(
    response: Resource<ResponseBody<T>>,
    path: string,
    query: Record<string, string> = {},
    last?: LastReading<ResponseBody<T>>,
  ): Promise<T | undefined> {
    const answer = await this.ask(path, query, JSON_TYPES.join(', '));
    if (answer === undefined) return undefined;
    const operation = `GET ${path}`;
    const read = (): Reading<ResponseBody<T>> => response.readTolerant(readJsonBody(operation, answer));
    return this.dataOf(response, operation, last === undefined ? read() : last.of(answer, read));
  }

  /** The answer of status 200; undefined for 404. @throws the reason of the signal when it is aborted during a wait */
  private async ask(
    path: string,
    query: Record<string, string>,
    accept: string,
  ): Promise<HttpAnswer | undefined> {
    const { retry: policy = DEFAULT_RETRY, signal } = this.options;
    const delayMs = (error: unknown, failed: number): number | undefined =>
      retryAfter(error, failed, policy, Math.random());
    try {
      return await retry(() => this.askOnce(path, query, accept), { delayMs, signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  private async askOnce(
    path: string,
    query: Record<string, string>,
    accept: string,
  ): Promise<HttpAnswer | undefined> {
    const operation = `GET ${path}`;
    const answer = await this.exchange(operation, { method: 'GET', path, query, headers: { accept } });
    switch (answer.status) {
      case 200:
        return answer;
      case 404:
        requireNothingPublished(operation, answer);
        return undefined;
      case 401:
      case 403:
        throw new ReportingForbiddenError(operation, answer.status);
      default:
        throw new ReportingUnavailableError(operation, answer.status, answer.retryAfterMs);
    }
  }

  private async exchange(operation: string, request: HttpRequest): Promise<HttpAnswer> {
    const { tokenSource, now } = this.options;
    try {
      return await exchangeWithBearer(this.exchanger, tokenSource, request, now);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new ReportingUnavailableError(operation, undefined, undefined, { cause: error });
    }
  }

  private dataOf<T>(
    response: Resource<ResponseBody<T>>,
    operation: string,
    reading: Reading<ResponseBody<T>>,
  ): T {
    if (!reading.ok) throw new MalformedResponseError(operation, reading.issues);
    if (reading.unknownProperties.length > 0)
      this.options.onUnknownProperties?.(response.name, reading.unknownProperties);
    return reading.value.data;
  }
}
