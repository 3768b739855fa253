import { errors, type Dispatcher } from 'undici';
import type { ClientConnection } from '../connections/client-connection.js';
import { addressAuthorization, addressSecrets } from '../connections/http-address.js';
import { NetworkNotAllowedError } from '../connections/ip-networks.js';
import { ServerConnections } from '../connections/server-connections.js';
import { TokenRefusedError, TokenUnavailableError } from '../oauth/token-errors.js';
import type { AccessToken, TokenProvider } from '../oauth/token-source.js';
import { TimeoutError, withTimeout } from '../resilience/limits.js';
import { readBeginning } from '../resilience/read-beginning.js';
import { parseRetryAfter } from '../resilience/retry-after.js';
import type { DeliveryOutcome } from './delivery-outcome.js';

/** Further request headers, names in lower case. */
export interface ReceiverHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Texts that no outcome may contain. */
  readonly secrets: readonly string[];
}

export interface HttpReceiverOptions {
  readonly url: string;
  /** Time for the whole attempt, from the token to the end of the response. */
  readonly timeoutMs: number;
  /** A longer response is truncated. */
  readonly responseLimitBytes: number;
  readonly connections: number;
  /** Certificates, proxy and allowed networks. */
  readonly connection?: ClientConnection | undefined;
  /** Read for each request. */
  readonly headers?: (() => ReceiverHeaders) | undefined;
  /** Bearer tokens. After a 401 the request is repeated once, with another token. */
  readonly tokens?: TokenProvider | undefined;
}

export interface ReceiverRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** After a new token was refused as well, no further one is requested because of a 401 during this time. */
const NEW_TOKEN_PAUSE_MS = 300_000;

/** Posts messages to one HTTP address. Redirects are not followed. */
export class HttpReceiver {
  private readonly connections: ServerConnections;
  private readonly path: string;
  private readonly credentials: ReturnType<typeof addressAuthorization>;
  private readonly addressSecrets: readonly string[];
  private newTokenRefusedAt = -Infinity;

  constructor(private readonly options: HttpReceiverOptions) {
    const url = new URL(options.url);
    this.path = url.pathname + url.search;
    this.credentials = addressAuthorization(url);
    this.addressSecrets = addressSecrets(url);
    this.connections = new ServerConnections(url, options.connection ?? {}, options);
  }

  /**
   * Makes one attempt, within the timeout. Never rejects because of the receiver, the token service or the network.
   * @param signal aborts the attempt
   */
  async post(request: ReceiverRequest, signal: AbortSignal): Promise<DeliveryOutcome> {
    const timeout = AbortSignal.timeout(this.options.timeoutMs);
    const ended = AbortSignal.any([timeout, signal]);
    try {
      return await this.authorizeAndSend(request, ended);
    } catch (error) {
      if (signal.aborted) return { kind: 'unreachable', detail: 'aborted' };
      if (timeout.aborted || isTimeout(error)) return { kind: 'timeout' };
      return describeFailure(error);
    }
  }

  close(): Promise<void> {
    return this.connections.destroy();
  }

  private async authorizeAndSend(request: ReceiverRequest, ended: AbortSignal): Promise<DeliveryOutcome> {
    const { tokens, timeoutMs } = this.options;
    if (tokens === undefined) return this.send(request, ended);
    const token = await withTimeout(tokens.token(), timeoutMs, ended);
    const first = await this.send(request, ended, token);
    if (!isUnauthorized(first) || performance.now() - this.newTokenRefusedAt < NEW_TOKEN_PAUSE_MS)
      return first;
    const renewed = await withTimeout(tokens.replaceToken(token), timeoutMs, ended);
    if (renewed.value === token.value) return first;
    const second = await this.send(request, ended, renewed);
    if (isUnauthorized(second)) this.newTokenRefusedAt = performance.now();
    return second;
  }

  private async send(
    { headers, body }: ReceiverRequest,
    signal: AbortSignal,
    token?: AccessToken,
  ): Promise<DeliveryOutcome> {
    const further = this.options.headers?.() ?? { headers: {}, secrets: [] };
    const authorization = token === undefined ? this.credentials : { authorization: `Bearer ${token.value}` };
    const response = await this.connections.request({
      method: 'POST',
      path: this.path,
      headers: {
        'user-agent': 'settlement-bus-bridge',
        ...further.headers,
        ...authorization,
        ...headers,
      },
      body,
      signal,
    });
    const secrets = [
      ...further.secrets,
      ...(token === undefined ? [] : [token.value]),
      ...this.addressSecrets,
    ];
    // The status decides the outcome. The body is read so that the connection can be used again.
    const text = await readBeginning(response, { limitBytes: this.options.responseLimitBytes, secrets });
    return toOutcome(response, text);
  }
}

function toOutcome(
  { statusCode: status, headers }: Dispatcher.ResponseData,
  response: string | undefined,
): DeliveryOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status, response };
  const retryAfterMs = parseRetryAfter(headers['retry-after'], Date.now());
  return { kind: 'rejected', status, ...(retryAfterMs !== undefined && { retryAfterMs }), response };
}

function isUnauthorized(outcome: DeliveryOutcome): boolean {
  return outcome.kind === 'rejected' && outcome.status === 401;
}

function isTimeout(error: unknown): boolean {
  return (
    error instanceof TimeoutError ||
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

function describeFailure(error: unknown): DeliveryOutcome {
  if (isNetworkNotAllowed(error)) return { kind: 'network-not-allowed' };
  if (error instanceof TokenRefusedError)
    return { kind: 'unreachable', detail: `no token, the token service refuses with status ${error.status}` };
  if (error instanceof TokenUnavailableError) {
    const why = error.status === undefined ? 'does not respond' : `responds with status ${error.status}`;
    return { kind: 'unreachable', detail: `no token, the token service ${why}` };
  }
  return { kind: 'unreachable', detail: readCode(error) };
}

/** The token source reports a refused connection as the cause of its error. */
function isNetworkNotAllowed(error: unknown): boolean {
  if (error instanceof NetworkNotAllowedError) return true;
  return error instanceof Error && error.cause !== undefined && isNetworkNotAllowed(error.cause);
}

/** The error's code or name. Its message may quote the URL, which may contain a secret. */
function readCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown failure';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'unknown failure';
}
