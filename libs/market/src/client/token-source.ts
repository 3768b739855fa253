import { TokenRefusedError, TokenUnavailableError } from './errors.js';
import { type HttpAnswer, HttpEdge, NoAnswerError, type TlsMaterial } from './http-edge.js';
import { readTokenAnswer } from './token-answer.js';
import { TokenRefusals } from './token-refusals.js';

export interface TokenSourceOptions {
  /** The `{auth_url}` of document 001; `/oauth/v1/token` is appended. */
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Space-separated scopes to ask for; all of the client's when omitted. */
  readonly scope?: string | undefined;
  /** Where the credentials travel: in the form as document 001 has it (default), or HTTP Basic. */
  readonly clientAuthentication?: 'form' | 'basic' | undefined;
  /** The authority to believe, where no more is needed. */
  readonly ca?: string | Buffer | undefined;
  /** With a client certificate for a service that binds its tokens to it (RFC 8705). In place of `ca`. */
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

/** Where a client of the market gets its tokens: a `TokenSource`, or whatever else has them. Both throw as `TokenSource` says. */
export interface TokenProvider {
  /** A token with some life left in it. */
  token(): Promise<AccessToken>;
  /** Another token than the one that a server has just refused; the same one where there is no other. */
  tokenInsteadOf(refused: AccessToken): Promise<AccessToken>;
}

/** A token is renewed a minute before its end, or in the last fifth of a short life. */
const EARLY_MS = 60_000;
/** After a failed early renewal, the token still held is used for this long before the next try. */
const PAUSE_AFTER_FAILURE_MS = 5_000;

/**
 * Tokens by the client-credentials grant (document 001): fetched once per lifetime, by one request however many ask. A service that refuses this
 * client is left alone for a while (`TokenRefusals`), and whoever asks meanwhile is told of that refusal.
 */
export class TokenSource implements TokenProvider {
  private readonly edge: HttpEdge;
  private readonly now: () => number;
  /** Hard-private, like the secret: whoever prints this object by mistake prints no credential. */
  #held: AccessToken | undefined;
  readonly #clientSecret: string;
  private readonly options: Omit<TokenSourceOptions, 'clientSecret'>;
  private underWay: Promise<AccessToken> | undefined;
  /** How often the certificate was renewed. */
  private renewals = 0;
  private pauseUntil = 0;
  /** Of the certificate in use: with another one the service may think otherwise. */
  private refusals = new TokenRefusals();

  constructor({ clientSecret, ...options }: TokenSourceOptions) {
    this.#clientSecret = clientSecret;
    this.options = options;
    const tls = options.tls ?? (options.ca === undefined ? undefined : { ca: options.ca });
    this.edge = new HttpEdge({
      baseUrl: options.authUrl,
      tls,
      timeoutMs: options.timeoutMs ?? 10_000,
      maxBodyBytes: 1024 * 1024,
    });
    this.now = options.now ?? Date.now;
  }

  /**
   * A token with some life left in it.
   * @throws TokenRefusedError the service refuses this client, or has done so just now (`asksAgainAt` says when it is asked again), and no token
   *   that still lives is held
   * @throws TokenUnavailableError it cannot be had now, and none that still lives is held
   */
  async token(): Promise<AccessToken> {
    const held = this.#held;
    if (held === undefined || this.now() >= held.expiresAt) return this.fetchOnce();
    const early = Math.min(EARLY_MS, (held.expiresAt - held.obtainedAt) / 5);
    if (this.now() < Math.max(held.expiresAt - early, this.pauseUntil)) return held;
    try {
      return await this.fetchOnce();
    } catch (error) {
      // What is held is good until its end, whether the service is away for the moment or refuses the client from now on.
      const ofTheService = error instanceof TokenUnavailableError || error instanceof TokenRefusedError;
      if (!ofTheService || this.now() >= held.expiresAt) throw error;
      this.pauseUntil = this.now() + PAUSE_AFTER_FAILURE_MS;
      return held;
    }
  }

  /** Another token than the one that a server has just refused. Throws as `token` does. */
  async tokenInsteadOf(refused: AccessToken): Promise<AccessToken> {
    if (this.#held !== undefined && this.#held.value !== refused.value) return this.token();
    this.#held = undefined;
    return this.fetchOnce();
  }

  /** From now on new connections show this certificate. A token that may be bound to the one before is let go, one on its way included; so is a refusal. */
  async renewTls(tls: TlsMaterial): Promise<void> {
    this.renewals += 1;
    this.#held = undefined;
    this.underWay = undefined;
    this.refusals = new TokenRefusals();
    await this.edge.renewTls(tls);
  }

  async close(): Promise<void> {
    await this.edge.close();
  }

  private fetchOnce(): Promise<AccessToken> {
    if (this.underWay !== undefined) return this.underWay;
    const refusal = this.refusals.standing(this.now());
    if (refusal !== undefined) return Promise.reject(refusal);
    const fetching = this.fetch().finally(() => {
      if (this.underWay === fetching) this.underWay = undefined;
    });
    this.underWay = fetching;
    return fetching;
  }

  private async fetch(): Promise<AccessToken> {
    const askedAt = this.now();
    const { renewals, refusals } = this;
    const answer = await this.ask();
    if (isPassing(answer.status))
      throw new TokenUnavailableError(`status ${answer.status}`, answer.status, answer.retryAfterMs);
    if (answer.status !== 200) throw refusals.note(answer, this.now());
    const read = readTokenAnswer(answer.body);
    if (!read.ok) throw new TokenUnavailableError(read.reason, answer.status, undefined);
    const { value, scope, lifetimeSeconds } = read.token;
    const token = { value, scope, obtainedAt: askedAt, expiresAt: askedAt + lifetimeSeconds * 1000 };
    this.pauseUntil = 0;
    refusals.forget();
    // Asked for with a certificate that has been replaced meanwhile, it serves who waited for it and nobody else.
    if (renewals === this.renewals) this.#held = token;
    return token;
  }

  private async ask(): Promise<HttpAnswer> {
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
      return await this.edge.exchange({
        method: 'POST',
        path: '/oauth/v1/token',
        headers,
        body: form.toString(),
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw new TokenUnavailableError(error.message, undefined, undefined, { cause: error });
    }
  }
}

/** What says nothing of this client: the service is asked too much, failing, or gave up waiting for the request (RFC 9110 §15.5.9). */
function isPassing(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encode = (text: string): string => new URLSearchParams({ v: text }).toString().slice(2);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')}`;
}
