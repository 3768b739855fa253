import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errorBody, MalformedMessageError, parseMessageJson, type ErrorDetail } from '@ssb/bus';
import { checkServerIdentity, readResponse, TimeoutError, WITHOUT_ENCODING, withTimeout } from '@ssb/net';
import { SETTINGS } from '@ssb/platform';
import { buildConnector, Pool } from 'undici';
import { z, type ZodType } from 'zod';
import type { Settings } from '../settings.js';
import { BrokerTls } from '../tls/client-tls.js';
import { brokerUnreachable, invalidBrokerResponse, requestNotSent } from './broker-error.js';

export interface BrokerRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  /** W3C Trace Context of the request. */
  readonly traceparent?: string | undefined;
  /** When the response must have arrived, in milliseconds of `performance.now()`. Default: BROKER_TIMEOUT_MS from now. */
  readonly deadline?: number;
}

export interface BrokerResponse {
  readonly status: number;
  /** Parsed JSON, in which `timestampNanos` is a string of digits; the text of any other body; undefined without a body. */
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A page of the broker, in which JSON may escape each byte as two, and its other fields. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576;

/** HTTP requests to the broker: one pool of connections, deadlines, no retries. */
@Injectable()
export class BrokerHttp implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly pathPrefix: string;
  private readonly timeoutMs: number;
  private readonly backgroundWork = new Set<Promise<unknown>>();

  constructor(@Inject(SETTINGS) settings: Settings, tls: BrokerTls) {
    const { origin, pathname } = new URL(settings.BROKER_URL);
    const timeout = settings.BROKER_TIMEOUT_MS;
    this.timeoutMs = timeout;
    this.pathPrefix = pathname.replace(/\/+$/, '');
    this.pool = new Pool(origin, {
      connections: settings.BROKER_CONNECTIONS,
      // The deadline of `request` bounds the whole response.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MAX_RESPONSE_BYTES,
      // A connector for each connection uses the certificates of that moment.
      connect: (options, callback) =>
        buildConnector({ timeout, checkServerIdentity, ...tls.current })(options, callback),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.backgroundWork);
    await this.pool.close();
  }

  /** Shutdown keeps the connections open until this work ends, which may be after the response to the client. */
  async finishBeforeShutdown<T>(work: Promise<T>): Promise<T> {
    this.backgroundWork.add(work);
    try {
      return await work;
    } finally {
      this.backgroundWork.delete(work);
    }
  }

  /** The deadline of a call that begins now, in milliseconds of `performance.now()`. */
  getDeadline(): number {
    return performance.now() + this.timeoutMs;
  }

  /** @throws BrokerError of kind `not-sent` once the deadline has passed */
  async waitUntil<T>(deadline: number, promise: Promise<T>): Promise<T> {
    try {
      return await withTimeout(promise, Math.max(0, deadline - performance.now()));
    } catch (error) {
      throw error instanceof TimeoutError ? requestNotSent('it waited too long') : error;
    }
  }

  /** @throws BrokerError of kind `unreachable` or `not-sent` when no response arrives in time */
  async request({
    method,
    path,
    body,
    token,
    traceparent,
    ...options
  }: BrokerRequest): Promise<BrokerResponse> {
    const { deadline = this.getDeadline() } = options;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw requestNotSent('it waited too long');
    // Aborts the wait for a free connection as well.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new Error(`no response within ${this.timeoutMs} ms`)), leftMs);
    try {
      const response = await this.pool.request({
        signal: abort.signal,
        method,
        path: this.pathPrefix + path,
        headers: {
          ...WITHOUT_ENCODING,
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(traceparent !== undefined && { traceparent }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode: status, headers } = response;
      return { status, headers, value: parseBody(String(await readResponse(response, MAX_RESPONSE_BYTES))) };
    } catch (error) {
      throw brokerUnreachable(getErrorReason(error));
    } finally {
      clearTimeout(timer);
    }
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseMessageJson(text);
  } catch (error) {
    if (error instanceof MalformedMessageError) return text;
    throw error;
  }
}

/** The error object of a response; undefined when it has none. */
export function getErrorDetail({ value }: BrokerResponse): ErrorDetail | undefined {
  const result = errorBody.safeParse(value);
  return result.success ? result.data.err : undefined;
}

/** @throws BrokerError of kind `invalid-response` */
export function parseResponse<T>({ status, value }: BrokerResponse, schema: ZodType<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidBrokerResponse(`status ${status} with an unexpected body (${z.prettifyError(result.error)})`);
}

/** The message of an aggregate system error is empty; its code says what failed. */
function getErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return error.message || code || error.name;
}
