import { isUtf8 } from 'node:buffer';
import { EventEmitter } from 'node:events';
import { Agent, type Dispatcher, errors } from 'undici';
import { readHttpDate, readRetryAfter } from '@ssb/resilience';

/** Certificates as PEM text or bytes. `cert` and `key` identify the caller, `ca` says whom to believe instead of the system's list. */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
}

export interface HttpEdgeOptions {
  /** Scheme, host and port, with or without a path in front of the operations'. */
  readonly baseUrl: string;
  readonly tls?: TlsMaterial | undefined;
  /** Bound of one whole exchange, connecting and reading the body included. Default 30,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** A longer body is not read to its end. Default 10 MB, the largest payload the market's notes know. */
  readonly maxBodyBytes?: number | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class HttpAnswer {
  constructor(
    readonly status: number,
    readonly bytes: Uint8Array,
    /** Without parameters and in small letters, e.g. `application/json`; absent where none was sent. */
    readonly mediaType: string | undefined,
    /** What `Retry-After` asks for, in milliseconds, where it was sent and could be read. */
    readonly retryAfterMs: number | undefined,
  ) {}

  /** The body as text for a person or a liberal reader: what is no UTF-8 in it becomes U+FFFD. */
  get body(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString('utf8');
  }

  /** The body as the text that its bytes are in UTF-8; undefined where they are none. */
  get utf8(): string | undefined {
    return isUtf8(this.bytes) ? this.body : undefined;
  }
}

/** Whatever exchanges a request for an answer: an edge, or something in front of one. */
export interface Exchanger {
  /** @throws NoAnswerError */
  exchange(request: HttpRequest): Promise<HttpAnswer>;
}

/** No usable answer came: no connection, no end within the time, or a body beyond the bound. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  constructor(
    readonly reason: 'connection' | 'timeout' | 'too-large',
    detail: string,
    options?: ErrorOptions,
  ) {
    super(`no answer (${reason}): ${detail}`, options);
  }
}

const TEN_MEGABYTES = 10 * 1024 * 1024;

/** Plain exchanges with one server over kept-alive connections. Knows bounds and certificates, not meanings. */
export class HttpEdge implements Exchanger {
  private readonly base: URL;
  private readonly timeoutMs: number;
  private readonly maxBodyBytes: number;
  private agent: Agent;

  constructor(options: HttpEdgeOptions) {
    this.base = new URL(options.baseUrl.replace(/\/*$/, '/'));
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.maxBodyBytes = options.maxBodyBytes ?? TEN_MEGABYTES;
    this.agent = this.createAgent(options.tls);
  }

  /** @throws NoAnswerError */
  async exchange(request: HttpRequest): Promise<HttpAnswer> {
    const url = new URL(request.path.replace(/^\/+/, ''), this.base);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    // An AbortSignal and its request stay in memory until a full garbage collection. undici accepts an emitter as well.
    const signal = new EventEmitter();
    const timer = setTimeout(() => signal.emit('abort'), this.timeoutMs);
    timer.unref();
    try {
      const answer = await this.agent.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers: { ...request.headers },
        body: request.body ?? null,
        signal,
      });
      const { statusCode, headers } = answer;
      const mediaType = readMediaType(headers['content-type']);
      const retryAfterMs = readRetryAfter(headers['retry-after'], serverClock(headers['date']));
      return new HttpAnswer(statusCode, await this.readBody(answer), mediaType, retryAfterMs);
    } catch (error) {
      throw asNoAnswer(error, this.timeoutMs);
    } finally {
      clearTimeout(timer);
    }
  }

  /** New connections identify themselves with these certificates; exchanges under way end on the old ones. */
  async renewTls(tls: TlsMaterial): Promise<void> {
    const previous = this.agent;
    this.agent = this.createAgent(tls);
    await previous.close();
  }

  async close(): Promise<void> {
    await this.agent.close();
  }

  private createAgent(tls: TlsMaterial | undefined): Agent {
    return new Agent({
      connections: 8,
      bodyTimeout: this.timeoutMs,
      headersTimeout: this.timeoutMs,
      connect: { timeout: this.timeoutMs, ...tls },
    });
  }

  private async readBody({ body }: Dispatcher.ResponseData): Promise<Uint8Array> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop destroys the body and with it the connection, so the rest is never received.
      if (size > this.maxBodyBytes)
        throw new NoAnswerError('too-large', `more than ${this.maxBodyBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }
}

/** The server's own clock where it tells: a date that it asks for is meant by that one, however wrong it goes. */
function serverClock(header: string | string[] | undefined): number {
  const now = Date.now();
  return typeof header === 'string' ? (readHttpDate(header, now) ?? now) : now;
}

function readMediaType(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  return text?.split(';')[0]?.trim().toLowerCase() || undefined;
}

function asNoAnswer(error: unknown, timeoutMs: number): unknown {
  if (error instanceof NoAnswerError || error instanceof errors.InvalidArgumentError) return error;
  const late = new NoAnswerError('timeout', `nothing complete within ${timeoutMs} ms`, { cause: error });
  return isTimeout(error) ? late : new NoAnswerError('connection', messageOf(error), { cause: error });
}

/** Only the timer of an exchange aborts its request. */
function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.RequestAbortedError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
