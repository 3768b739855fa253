import { type HttpRequest, type HttpResponse, type HttpTransport } from '@ssb/net';

/** Limits the rate of requests, as the RequestBudget of `@ssb/redis-queue` does. */
export interface RequestLimiter {
  /**
   * Resolves when one request can be sent. Rejects with the limiter's own error when its time limit passes or the
   * signal is aborted.
   */
  acquire(signal?: AbortSignal): Promise<RequestPermit>;
  /** Stops all requests after a 429: for the time of `Retry-After`, or for a default time without it. */
  pause(retryAfterMs: number | undefined): Promise<void>;
}

export interface RequestPermit {
  /** Marks the request as finished, successful or not. Does not block or throw. */
  release(): void;
}

/** Takes a permit for every single request, repeats included. Passes on the errors of the limiter. */
export class RateLimitedTransport implements HttpTransport {
  constructor(
    private readonly transport: HttpTransport,
    private readonly limiter: RequestLimiter,
    /** Ends the wait for a permit. */
    private readonly signal?: AbortSignal,
  ) {}

  async send(request: HttpRequest): Promise<HttpResponse> {
    const permit = await this.limiter.acquire(this.signal);
    try {
      const response = await this.transport.send(request);
      if (response.status === 429) await this.limiter.pause(response.retryAfterMs);
      return response;
    } finally {
      permit.release();
    }
  }
}
