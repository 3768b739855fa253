import type { RetryPolicy } from './domain/retry-table.js';
import type { TlsMaterial } from './http-edge.js';
import type { RequestGate } from './request-gate.js';

/**
 * One interface of the market as a caller has to know it. The prudential and the settlement interface are two hosts with certificates and
 * limits of their own (field notes, "The market"): each has its profile, and its own client. Where both are one host, two clients
 * with the same address are as good; they may share a gate.
 */
export interface InterfaceProfile {
  /** The `{base_url}` of document 000. */
  readonly baseUrl: string;
  /** The participant's client certificate, and the authority to believe. */
  readonly tls?: TlsMaterial | undefined;
  /** Asked before every single request, a repeat included; what it throws is passed on. No gate: no limit of our own. */
  readonly gate?: RequestGate | undefined;
  /** Bound of one exchange. Default 30,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Default 10 MB. */
  readonly maxResponseBytes?: number | undefined;
  /** Default three tries: `DEFAULT_RETRY`. */
  readonly retry?: RetryPolicy | undefined;
}
