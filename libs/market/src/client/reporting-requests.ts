import {
  retry,
  type TlsMaterial,
  HttpClient,
  NoResponseError,
  type HttpRequest,
  type HttpResponse,
} from '@ssb/net';
import { readPartially, type IndexedResponse, type ItemPath } from '../schema/partial-read.js';
import type { Resource } from '../schema/resource.js';
import { MalformedResponseError, ReportingForbiddenError, ReportingUnavailableError } from './errors.js';
import { BearerTransport } from './http/bearer-transport.js';

import { RateLimitedTransport } from './http/rate-limited-transport.js';
import type { ReportingClientOptions } from './reporting-client-options.js';
import type { ResponseBody } from './reporting-responses.js';
import {
  assertMarketNotFound,
  JSON_TYPES,
  type LastResponseCache,
  noList,
  readJsonBody,
} from './response-bodies.js';
import { DEFAULT_RETRY, retryDelayMs } from './retry-policy.js';

/** A request whose response is read item by item. */
export interface ListRequest {
  readonly path: string;
  readonly query: Record<string, string>;
  /** Items that are left out when they are unreadable. */
  readonly items: readonly ItemPath[];
}

/** A request whose response is read as a whole. */
interface DocumentRequest {
  readonly path: string;
  readonly query: Record<string, string>;
  readonly accept: string;
  /** Default: that of the client. */
  readonly maxBodyBytes?: number | undefined;
}

/** Sends the requests of the reporting API: over mTLS, with a token, within the request limit, repeated according to the retry policy. */
export class ReportingRequests {
  private readonly http: HttpClient;
  private readonly transport: BearerTransport;

  constructor(private readonly options: ReportingClientOptions) {
    const { baseUrl, tls, proxy, timeoutMs, maxResponseBytes: maxBodyBytes, onClockReading } = options;
    const { requestLimiter, signal, tokenSource, now } = options;
    this.http = new HttpClient({ baseUrl, tls, proxy, timeoutMs, maxBodyBytes, onClockReading });
    const limited =
      requestLimiter === undefined ? this.http : new RateLimitedTransport(this.http, requestLimiter, signal);
    this.transport = new BearerTransport(limited, tokenSource, now);
  }

  /** Requests one document; undefined when the market has none. */
  async get<T>(resource: Resource<ResponseBody<T>>, path: string): Promise<T | undefined> {
    return (await this.getPartially(resource, { path, query: {}, items: [] }))?.value;
  }

  /**
   * Requests a list.
   * @throws MalformedResponseError for a 404: the address, a proxy or the requested days are wrong
   */
  async getList<T>(
    resource: Resource<ResponseBody<T>>,
    request: ListRequest,
    cache?: LastResponseCache<ResponseBody<T>>,
  ): Promise<IndexedResponse<T>> {
    const response = await this.getPartially(resource, request, cache);
    if (response === undefined) throw noList(`GET ${request.path}`);
    return response;
  }

  private async getPartially<T>(
    resource: Resource<ResponseBody<T>>,
    { path, query, items }: ListRequest,
    cache?: LastResponseCache<ResponseBody<T>>,
  ): Promise<IndexedResponse<T> | undefined> {
    const operation = `GET ${path}`;
    const response = await this.fetch({ path, query, accept: JSON_TYPES.join(', ') });
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
  async fetch(request: DocumentRequest): Promise<HttpResponse | undefined> {
    const { retry: policy = DEFAULT_RETRY, signal } = this.options;
    const delayMs = (error: unknown, failed: number): number | undefined =>
      retryDelayMs(error, failed, policy, Math.random());
    try {
      return await retry(() => this.fetchOnce(request), { delayMs, signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  private async fetchOnce({
    path,
    query,
    accept,
    maxBodyBytes,
  }: DocumentRequest): Promise<HttpResponse | undefined> {
    const operation = `GET ${path}`;
    const response = await this.send(operation, {
      method: 'GET',
      path,
      query,
      headers: { accept },
      ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    });
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

  /** New connections use this certificate; no restart is needed. */
  renewTls(tls: TlsMaterial): Promise<void> {
    return this.http.renewTls(tls);
  }

  /** Closes the connections. The caller closes the token source. */
  close(): Promise<void> {
    return this.http.close();
  }
}
