import { type ProxySettings, type TlsMaterial, type ClockReading, type TokenProvider } from '@ssb/net';
import type { RequestLimiter } from './http/rate-limited-transport.js';
import type { RetryPolicy } from './retry-policy.js';

/**
 * One interface of the market. The prudential and the settlement interface are two hosts with their own certificates
 * and limits, so each needs its own client.
 */
export interface MarketEndpoint {
  /** The `{base_url}` of document 000. */
  readonly baseUrl: string;
  /** The participant's client certificate, and the certificate authority. */
  readonly tls?: TlsMaterial | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Takes part in every single request, repeats included. Its errors are passed on. Default: no limit. */
  readonly requestLimiter?: RequestLimiter | undefined;
  /** Timeout of one request. Default 30,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Default 10 MB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default `DEFAULT_RETRY`: three attempts. */
  readonly retry?: RetryPolicy | undefined;
}

export interface ReportingClientOptions extends MarketEndpoint {
  readonly tokenSource: TokenProvider;
  /** Ends the waits for the limiter and for a repeat: the operation throws the signal's reason. Requests in flight are completed. */
  readonly signal?: AbortSignal | undefined;
  /** Members of the JSON object that the operator sends with a 404. Default: an empty body and a problem (RFC 9457) are its forms. */
  readonly notFoundMembers?: readonly string[] | undefined;
  /** Called with the paths of unknown properties that were dropped. */
  readonly onUnknownProperties?: (resource: string, paths: readonly string[]) => void;
  /** Called with the server's clock for each response of any status that has a `Date`. */
  readonly onClockReading?: (reading: ClockReading) => void;
  /** The clock, epoch milliseconds. */
  readonly now?: () => number;
}
