import { type TokenProvider, type HttpRequest, type HttpResponse, type HttpTransport } from '@ssb/net';

/** After a new token was refused as well, no further token is requested for that status during this time. */
const NEW_TOKEN_PAUSE_MS = 5 * 60_000;

type RefusalStatus = 401 | 403;

/**
 * Sends requests with a bearer token. A refused request (401, 403) is repeated once with a new token, at most every five minutes for
 * each status if the server refuses new tokens too.
 */
export class BearerTransport implements HttpTransport {
  /** Separate for each status: a missing permission (403) must not prevent the renewal of a revoked token (401). */
  private readonly newTokenRefusedAt = new Map<RefusalStatus, number>();

  constructor(
    private readonly transport: HttpTransport,
    private readonly tokens: TokenProvider,
    /** The clock, epoch milliseconds. */
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws NoResponseError, and the errors of the token provider */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const token = await this.tokens.token();
    const first = await this.transport.send(withBearer(request, token.value));
    if (!isRefusal(first.status) || this.isPaused(first.status)) return first;
    const newToken = await this.tokens.replaceToken(token);
    if (newToken.value === token.value) return first;
    const second = await this.transport.send(withBearer(request, newToken.value));
    if (isRefusal(second.status)) this.newTokenRefusedAt.set(second.status, this.now());
    return second;
  }

  private isPaused(status: RefusalStatus): boolean {
    const at = this.newTokenRefusedAt.get(status);
    const now = this.now();
    return at !== undefined && now >= at && now - at < NEW_TOKEN_PAUSE_MS;
  }
}

function isRefusal(status: number): status is RefusalStatus {
  return status === 401 || status === 403;
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
