import { isUtf8 } from 'node:buffer';
import { EventEmitter } from 'node:events';
import type { ClientConnection } from '../connections/client-connection.js';
import type { ProxySettings } from '../connections/proxy-settings.js';
import { ServerConnections } from '../connections/server-connections.js';
import type { TlsMaterial } from '../connections/tls-files.js';
import { readDateHeader, type ClockReading } from '../resilience/clock-reading.js';
import { BodyTooLargeError } from '../resilience/limits.js';
import { readResponse, UnreadableEncodingError, type EncodedResponse } from '../resilience/read-response.js';
import { parseHttpDate, parseRetryAfter } from '../resilience/retry-after.js';
import { errors } from 'undici';

export interface HttpClientOptions {
  /** Scheme, host and port, and optionally a path before that of each request. */
  readonly baseUrl: string;
  readonly tls?: TlsMaterial | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Replaces `tls` and `proxy`. */
  readonly connection?: ClientConnection | undefined;
  /** Timeout of one request, from connecting to the end of the body. Default 30,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Maximum size of a response body. Default 10 MB, the largest payload in the market's notes. */
  readonly maxBodyBytes?: number | undefined;
  /** Called with the server's clock for each response of any status that has a `Date`. */
  readonly onClockReading?: ((reading: ClockReading) => void) | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** A parameter with several values is repeated. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Maximum size of this response body, in place of that of the client. */
  readonly maxBodyBytes?: number;
}

export class HttpResponse {
  constructor(
    readonly status: number,
    readonly bytes: Uint8Array,
    /** In lower case and without parameters, e.g. `application/json`; absent without the header. */
    readonly mediaType: string | undefined,
    /** `Retry-After` in milliseconds; absent without a valid header. */
    readonly retryAfterMs: number | undefined,
    /** The header `Link` (RFC 8288); absent without it. */
    readonly link?: string | undefined,
  ) {}

  /** The body as text. Bytes that are not UTF-8 become U+FFFD. */
  get body(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString('utf8');
  }

  /** The body as text; undefined when it is not UTF-8. */
  get utf8(): string | undefined {
    return isUtf8(this.bytes) ? this.body : undefined;
  }
}

/** A response whose body the caller reads: as it arrives, or with `readResponse`. */
export interface StreamedResponse extends EncodedResponse {
  readonly status: number;
}

/** Sends HTTP requests: an HttpClient, or a wrapper around one. */
export interface HttpTransport {
  /** Resolves with a response of any status. @throws NoResponseError, or an error of the wrapper */
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** There is no usable response: no connection, a timeout, a body that is too large, or a body that cannot be decoded. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  constructor(
    readonly reason: 'connection' | 'timeout' | 'too-large' | 'undecodable',
    detail: string,
    options?: ErrorOptions,
    readonly end?: ConnectionEnd,
  ) {
    super(`no response (${reason}): ${detail}`, options);
  }
}

/**
 * How the server ended a connection on which it had sent nothing. A refused client certificate is one of both: with TLS 1.3 the refusal
 * comes after the handshake, and undici reports a closed connection.
 */
export type ConnectionEnd =
  | { readonly kind: 'closed' }
  /** A TLS alert, such as `certificate expired`. */
  | { readonly kind: 'tls-alert'; readonly alert: string };

const TEN_MEGABYTES = 10 * 1024 * 1024;

/** An HTTP client for one server, with kept-alive connections, timeouts and client certificates. */
export class HttpClient implements HttpTransport {
  private readonly base: URL;
  private readonly timeoutMs: number;
  private readonly maxBodyBytes: number;
  private readonly onClockReading: (reading: ClockReading) => void;
  private readonly connections: ServerConnections;
  private tls: TlsMaterial | undefined;

  constructor(options: HttpClientOptions) {
    this.base = new URL(options.baseUrl.replace(/\/*$/, '/'));
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.maxBodyBytes = options.maxBodyBytes ?? TEN_MEGABYTES;
    this.onClockReading = options.onClockReading ?? (() => undefined);
    this.tls = options.tls;
    const currentTls = (): TlsMaterial | undefined => this.tls;
    const connection = options.connection ?? {
      get tls() {
        return currentTls();
      },
      proxy: options.proxy,
    };
    this.connections = new ServerConnections(this.base, connection, {
      connections: 8,
      timeoutMs: this.timeoutMs,
    });
  }

  /** @throws NoResponseError */
  async send(request: HttpRequest): Promise<HttpResponse> {
    // An AbortSignal and its request stay in memory until a full garbage collection; an emitter does not.
    const signal = new EventEmitter();
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      signal.emit('abort');
    }, this.timeoutMs);
    timer.unref();
    const requestedAt = Date.now();
    try {
      const response = await this.request(request, signal);
      const { statusCode, headers } = response;
      const reading = readDateHeader(headers, { requestedAt, respondedAt: Date.now() });
      if (reading !== undefined) this.onClockReading(reading);
      const mediaType = readMediaType(headers['content-type']);
      const retryAfterMs = parseRetryAfter(headers['retry-after'], readServerTime(headers['date']));
      return new HttpResponse(
        statusCode,
        await readResponse(response, request.maxBodyBytes ?? this.maxBodyBytes),
        mediaType,
        retryAfterMs,
        String(headers['link'] ?? '') || undefined,
      );
    } catch (error) {
      throw toNoResponseError(error, isOverdue, this.timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Sends a request whose response may have no end. The time-out is that of each part of the response.
   * @throws NoResponseError
   */
  async stream(request: HttpRequest): Promise<StreamedResponse> {
    try {
      const { statusCode: status, headers, body } = await this.request(request);
      return { status, headers, body };
    } catch (error) {
      throw toNoResponseError(error, false, this.timeoutMs);
    }
  }

  /** New connections use these certificates. Requests in flight end on the old connections. */
  async renewTls(tls: TlsMaterial): Promise<void> {
    this.tls = tls;
    await this.connections.renewed();
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  private request(
    { path, query = {}, method, headers, body }: HttpRequest,
    signal?: EventEmitter,
  ): ReturnType<ServerConnections['request']> {
    const url = new URL(path.replace(/^\/+/, ''), this.base);
    for (const [name, value] of Object.entries(query))
      for (const each of [value].flat()) url.searchParams.append(name, each);
    return this.connections.request({
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers },
      body: body ?? null,
      ...(signal && { signal }),
    });
  }
}

/** The server's clock where it sends `Date`: a date in `Retry-After` refers to that clock. Epoch milliseconds. */
function readServerTime(header: string | string[] | undefined): number {
  const now = Date.now();
  return typeof header === 'string' ? (parseHttpDate(header, now) ?? now) : now;
}

function readMediaType(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(';')[0]?.trim().toLowerCase() || undefined;
}

function toNoResponseError(error: unknown, isOverdue: boolean, timeoutMs: number): unknown {
  if (error instanceof NoResponseError || error instanceof errors.InvalidArgumentError) return error;
  if (error instanceof BodyTooLargeError)
    return new NoResponseError('too-large', `more than ${error.maxBytes} bytes`);
  if (error instanceof UnreadableEncodingError)
    return new NoResponseError('undecodable', error.message, { cause: error });
  if (isOverdue || isTimeout(error))
    return new NoResponseError('timeout', `nothing complete within ${timeoutMs} ms`, { cause: error });
  const message = error instanceof Error ? error.message : String(error);
  return new NoResponseError('connection', message, { cause: error }, readConnectionEnd(error));
}

function readConnectionEnd(error: unknown): ConnectionEnd | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  // OpenSSL's reason text is, for example, "sslv3 alert certificate expired".
  const alert = /^ERR_SSL_\w+?_ALERT_(\w+)$/.exec(error.code)?.[1];
  if (alert !== undefined) return { kind: 'tls-alert', alert: alert.toLowerCase().replaceAll('_', ' ') };
  if (error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0) return undefined;
  return CLOSED_CODES.has(error.code) ? { kind: 'closed' } : undefined;
}

const CLOSED_CODES: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  );
}
