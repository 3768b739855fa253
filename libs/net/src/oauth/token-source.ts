import type { ClientConnection } from '../connections/client-connection.js';
import type { ProxySettings } from '../connections/proxy-settings.js';
import type { TlsMaterial } from '../connections/tls-files.js';
import type { ClockReading } from '../resilience/clock-reading.js';
import { TokenRefusedError, TokenUnavailableError } from './token-errors.js';
import { HttpClient, type HttpResponse, NoResponseError } from '../http/http-client.js';
import { TokenRefusals } from './token-refusals.js';
import { parseTokenResponse } from './token-response.js';

/** The account of an OAuth client (document 001). */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface TokenSourceOptions extends ClientCredentials {
  /** The `{auth_url}` of document 001, or the origin of another token service. */
  readonly authUrl: string;
  /** Path and query after `authUrl`. Default: `/oauth/v1/token`, as document 001 has it. */
  readonly tokenPath?: string | undefined;
  /** Space-separated scopes to request. Default: all scopes of the client. */
  readonly scope?: string | undefined;
  /** The API that the token is for, where the token service asks for it. */
  readonly audience?: string | undefined;
  /** Sends the credentials in the form body (default, document 001) or with HTTP Basic authentication. */
  readonly clientAuthentication?: 'form' | 'basic' | undefined;
  /** CA certificate to trust, when the client has no certificate. */
  readonly ca?: string | Buffer | undefined;
  /** Client certificate for certificate-bound tokens (RFC 8705). Replaces `ca`. */
  readonly tls?: TlsMaterial | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Certificates, proxy and allowed networks. Replaces `ca`, `tls` and `proxy`. */
  readonly connection?: ClientConnection | undefined;
  readonly timeoutMs?: number | undefined;
  /** Called with the server's clock for each response of any status that has a `Date`. */
  readonly onClockReading?: (reading: ClockReading) => void;
  /** The clock, epoch milliseconds. */
  readonly now?: () => number;
}

export interface AccessToken {
  readonly value: string;
  readonly scope: string | undefined;
  /** Epoch milliseconds. */
  readonly obtainedAt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Provides access tokens. Implementations throw the same errors as `TokenSource`. */
export interface TokenProvider {
  /** A token that is still valid. */
  token(): Promise<AccessToken>;
  /** Returns another token after a server refused this one. Returns the same token when there is no other. */
  replaceToken(refused: AccessToken): Promise<AccessToken>;
}

/** Renewal starts one minute before expiry. For a lifetime under five minutes it starts in the last fifth. */
const MAX_RENEW_BEFORE_MS = 60_000;
/** Delay after a failed renewal, while the current token is still valid. */
const RENEWAL_RETRY_DELAY_MS = 5_000;

/**
 * Requests tokens with the client-credentials grant (document 001). Concurrent callers share one request, and
 * `TokenRefusals` delays the next request after a refusal.
 */
export class TokenSource implements TokenProvider {
  private readonly http: HttpClient;
  private readonly now: () => number;
  // `util.inspect` and JSON do not show `#` fields, so credentials are not logged.
  #current: AccessToken | undefined;
  #credentials: ClientCredentials;
  private readonly options: Omit<TokenSourceOptions, keyof ClientCredentials>;
  private pending: Promise<AccessToken> | undefined;
  /** Number of renewals of certificate or credentials. */
  private renewals = 0;
  private renewalPausedUntil = 0;
  /** Refusals received with the current certificate and credentials. */
  private refusals = new TokenRefusals();

  constructor({ clientId, clientSecret, ...options }: TokenSourceOptions) {
    this.#credentials = { clientId, clientSecret };
    this.options = options;
    const tls = options.tls ?? (options.ca === undefined ? undefined : { ca: options.ca });
    this.http = new HttpClient({
      baseUrl: options.authUrl,
      tls,
      proxy: options.proxy,
      connection: options.connection,
      timeoutMs: options.timeoutMs ?? 10_000,
      maxBodyBytes: 1024 * 1024,
      onClockReading: options.onClockReading,
    });
    this.now = options.now ?? Date.now;
  }

  /**
   * A token that is still valid.
   * @throws TokenRefusedError when the current token has expired and the service refuses this client; also until
   *   `nextAttemptAt` after such a refusal
   * @throws TokenUnavailableError when the current token has expired and the service does not issue another
   */
  async token(): Promise<AccessToken> {
    const current = this.#current;
    if (current === undefined || this.now() >= current.expiresAt) return this.fetchShared();
    const renewBeforeMs = Math.min(MAX_RENEW_BEFORE_MS, (current.expiresAt - current.obtainedAt) / 5);
    if (this.now() < Math.max(current.expiresAt - renewBeforeMs, this.renewalPausedUntil)) return current;
    try {
      return await this.fetchShared();
    } catch (error) {
      // The current token stays valid until it expires, even if the service is down or refuses the client.
      const isServiceError = error instanceof TokenUnavailableError || error instanceof TokenRefusedError;
      if (!isServiceError || this.now() >= current.expiresAt) throw error;
      this.renewalPausedUntil = this.now() + RENEWAL_RETRY_DELAY_MS;
      return current;
    }
  }

  /** Fetches a new token, unless another caller already did. Throws the same errors as `token`. */
  async replaceToken(refused: AccessToken): Promise<AccessToken> {
    if (this.#current !== undefined && this.#current.value !== refused.value) return this.token();
    this.#current = undefined;
    return this.fetchShared();
  }

  /** Uses this certificate for new connections. Discards the token, refusals and pending request of the previous one. */
  async renewTls(tls: TlsMaterial): Promise<void> {
    this.discardToken();
    await this.http.renewTls(tls);
  }

  /** Uses these credentials for new tokens. Discards the token, refusals and pending request of the previous ones. */
  renewCredentials(credentials: ClientCredentials): void {
    this.#credentials = credentials;
    this.discardToken();
  }

  async close(): Promise<void> {
    await this.http.close();
  }

  private discardToken(): void {
    this.renewals += 1;
    this.#current = undefined;
    this.pending = undefined;
    this.refusals = new TokenRefusals();
  }

  private async fetchShared(): Promise<AccessToken> {
    if (this.pending !== undefined) return this.pending;
    const refusal = this.refusals.current(this.now());
    if (refusal !== undefined) throw refusal;
    const fetching = this.fetch().finally(() => {
      if (this.pending === fetching) this.pending = undefined;
    });
    this.pending = fetching;
    return fetching;
  }

  private async fetch(): Promise<AccessToken> {
    const requestedAt = this.now();
    const { renewals, refusals } = this;
    const response = await this.requestToken();
    if (isTemporary(response.status))
      throw new TokenUnavailableError(`status ${response.status}`, response.status, response.retryAfterMs);
    if (response.status !== 200) throw refusals.add(response, this.now());
    const result = parseTokenResponse(response.body);
    if (!result.ok) throw new TokenUnavailableError(result.reason, response.status, undefined);
    const { value, scope, lifetimeSeconds } = result.token;
    const expiresAt = requestedAt + lifetimeSeconds * 1000;
    const token = { value, scope, obtainedAt: requestedAt, expiresAt };
    this.renewalPausedUntil = 0;
    refusals.clear();
    // A token of a replaced certificate or account is returned to the waiting callers, but not cached.
    if (renewals === this.renewals) this.#current = token;
    return token;
  }

  private async requestToken(): Promise<HttpResponse> {
    const { scope, audience, clientAuthentication, tokenPath = '/oauth/v1/token' } = this.options;
    const { clientId, clientSecret } = this.#credentials;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    };
    if (clientAuthentication === 'basic') {
      headers['authorization'] = basicCredentials(clientId, clientSecret);
    } else {
      form.set('client_id', clientId);
      form.set('client_secret', clientSecret);
    }
    if (scope !== undefined && scope !== '') form.set('scope', scope);
    if (audience !== undefined) form.set('audience', audience);
    try {
      return await this.http.send({
        method: 'POST',
        path: tokenPath,
        headers,
        body: form.toString(),
      });
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new TokenUnavailableError(error.message, undefined, undefined, { cause: error });
    }
  }
}

/** True for a status that a retry can change. Any other status except 200 refuses the client. 408: RFC 9110 §15.5.9. */
function isTemporary(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
