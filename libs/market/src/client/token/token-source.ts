import { TokenRefusedError, TokenUnavailableError } from '../errors.js';
import { HttpClient, type HttpResponse, NoResponseError, type TlsMaterial } from '../http/http-client.js';
import { TokenRefusals } from './token-refusals.js';
import { parseTokenResponse } from './token-response.js';

export interface TokenSourceOptions {
  /** The `{auth_url}` of document 001; `/oauth/v1/token` is appended. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Space-separated scopes to request. Default: all scopes of the client. */
  readonly scope?: string | undefined;
  /** How to send the credentials: in the form, as in document 001 (default), or by HTTP Basic. */
  readonly clientAuthentication?: 'form' | 'basic' | undefined;
  /** The certificate authority, when no client certificate is needed. */
  readonly ca?: string | Buffer | undefined;
  /** Replaces `ca`: a client certificate, for a service that binds its tokens to it (RFC 8705). */
  readonly tls?: TlsMaterial | undefined;
  readonly timeoutMs?: number | undefined;
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

/** Provides access tokens. Implementations throw the errors of `TokenSource`. */
export interface TokenProvider {
  /** A token that is still valid. */
  token(): Promise<AccessToken>;
  /** A new token in place of one that a server refused; the same token when there is no other. */
  replaceToken(refused: AccessToken): Promise<AccessToken>;
}

/** A token is renewed a minute before its end, or in the last fifth of a short lifetime. */
const MAX_RENEW_BEFORE_MS = 60_000;
/** Delay after a failed renewal, while the current token is still valid. */
const RENEWAL_RETRY_DELAY_MS = 5_000;

/**
 * Gets tokens by the client-credentials grant (document 001). Concurrent callers share one request, and after a
 * refusal no request is sent for a while (`TokenRefusals`).
 */
export class TokenSource implements TokenProvider {
  private readonly http: HttpClient;
  private readonly now: () => number;
  // Private fields of the language: `inspect` and JSON do not show credentials.
  #current: AccessToken | undefined;
  readonly #clientSecret: string;
  private readonly options: Omit<TokenSourceOptions, 'clientSecret'>;
  private pending: Promise<AccessToken> | undefined;
  /** Number of certificate renewals. */
  private renewals = 0;
  private renewalPausedUntil = 0;
  /** Refusals of the current certificate. */
  private refusals = new TokenRefusals();

  constructor({ clientSecret, ...options }: TokenSourceOptions) {
    this.#clientSecret = clientSecret;
    this.options = options;
    const tls = options.tls ?? (options.ca === undefined ? undefined : { ca: options.ca });
    this.http = new HttpClient({
      baseUrl: options.authUrl,
      tls,
      timeoutMs: options.timeoutMs ?? 10_000,
      maxBodyBytes: 1024 * 1024,
    });
    this.now = options.now ?? Date.now;
  }

  /**
   * A token that is still valid.
   * @throws TokenRefusedError when the service refuses this client, or did so before `nextAttemptAt`, and the current
   *   token has expired
   * @throws TokenUnavailableError when the service gives no token and the current token has expired
   */
  async token(): Promise<AccessToken> {
    const current = this.#current;
    if (current === undefined || this.now() >= current.expiresAt) return this.fetchShared();
    const renewBeforeMs = Math.min(MAX_RENEW_BEFORE_MS, (current.expiresAt - current.obtainedAt) / 5);
    if (this.now() < Math.max(current.expiresAt - renewBeforeMs, this.renewalPausedUntil)) return current;
    try {
      return await this.fetchShared();
    } catch (error) {
      // The current token is valid until its end, even if the service is down or refuses the client.
      const isOfService = error instanceof TokenUnavailableError || error instanceof TokenRefusedError;
      if (!isOfService || this.now() >= current.expiresAt) throw error;
      this.renewalPausedUntil = this.now() + RENEWAL_RETRY_DELAY_MS;
      return current;
    }
  }

  /** A token other than the one that a server refused. Throws as `token` does. */
  async replaceToken(refused: AccessToken): Promise<AccessToken> {
    if (this.#current !== undefined && this.#current.value !== refused.value) return this.token();
    this.#current = undefined;
    return this.fetchShared();
  }

  /** New connections use this certificate. Drops tokens and refusals of the previous one, pending ones included. */
  async renewTls(tls: TlsMaterial): Promise<void> {
    this.renewals += 1;
    this.#current = undefined;
    this.pending = undefined;
    this.refusals = new TokenRefusals();
    await this.http.renewTls(tls);
  }

  async close(): Promise<void> {
    await this.http.close();
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
    // A token of a replaced certificate is only for the callers that wait for it.
    if (renewals === this.renewals) this.#current = token;
    return token;
  }

  private async requestToken(): Promise<HttpResponse> {
    const { clientId, scope, clientAuthentication } = this.options;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    const headers: Record<string, string> = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    };
    if (clientAuthentication === 'basic') {
      headers['authorization'] = basicCredentials(clientId, this.#clientSecret);
    } else {
      form.set('client_id', clientId);
      form.set('client_secret', this.#clientSecret);
    }
    if (scope !== undefined && scope !== '') form.set('scope', scope);
    try {
      return await this.http.send({
        method: 'POST',
        path: '/oauth/v1/token',
        headers,
        body: form.toString(),
      });
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new TokenUnavailableError(error.message, undefined, undefined, { cause: error });
    }
  }
}

/** Statuses that are not about this client: too many requests, a request timeout (RFC 9110 §15.5.9), a failing service. */
function isTemporary(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
