/** The result of one attempt to deliver a message to a receiver. */
export type DeliveryOutcome =
  | { readonly kind: 'delivered'; readonly status?: number; readonly response?: string | undefined }
  /** A response other than 2xx. Redirects are not followed, so 3xx counts too. */
  | {
      readonly kind: 'rejected';
      readonly status: number;
      readonly retryAfterMs?: number;
      /** Whether the receiver refuses a repeat too, for a protocol whose status codes are not those of HTTP. */
      readonly permanent?: boolean;
      /** The beginning of the response, as `readBeginning` returns it. It is stored with the attempt, and never logged. */
      readonly response?: string | undefined;
    }
  /** No complete response: connection refused, name not found, aborted. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'timeout' }
  /** No connection was opened: the address of the receiver is not in WEBHOOK_ALLOWED_NETWORKS. */
  | { readonly kind: 'network-not-allowed' };
