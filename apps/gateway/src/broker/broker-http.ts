import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errorBody, type ErrorDetail } from '@ssb/bus';
import { SETTINGS } from '@ssb/platform';
import { buildConnector, Pool } from 'undici';
import { z, type ZodType } from 'zod';
import { BrokerError } from './broker-error.js';
import { parseJson } from '../parse-json.js';
import type { Settings } from '../settings.js';
import { BrokerTls } from '../tls/client-tls.js';

export interface BrokerCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string;
  /** When the answer must be here, in milliseconds of `performance.now()`; BROKER_TIMEOUT_MS from the asking when omitted. */
  readonly deadline?: number;
}

export interface BrokerAnswer {
  readonly status: number;
  /** Parsed JSON; undefined when the body is empty or no JSON. */
  readonly value: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Bytes: a page of the broker, of which JSON may write a byte as two, and more than room for the fields. */
const LARGEST_ANSWER = 64 * 1_048_576;

/** Why there is no answer to what was never asked. */
export const WAITED_TOO_LONG = 'it waited too long to be sent';

/** The broker's HTTP side: one pool of connections, time limits, nothing retried. */
@Injectable()
export class BrokerHttp implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly timeoutMs: number;
  private readonly held = new Set<Promise<unknown>>();

  constructor(@Inject(SETTINGS) settings: Settings, tls: BrokerTls) {
    const { origin, pathname } = new URL(settings.BROKER_URL);
    const timeout = settings.BROKER_TIMEOUT_MS;
    this.timeoutMs = timeout;
    this.prefix = pathname.replace(/\/+$/, '');
    this.pool = new Pool(origin, {
      connections: settings.BROKER_CONNECTIONS,
      // One limit holds for the whole of an answer, that of `exchange`.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: LARGEST_ANSWER,
      // A connector for each connection: it takes the certificates that are current then.
      connect: (options, callback) => buildConnector({ timeout, ...tls.current })(options, callback),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.held);
    await this.pool.close();
  }

  /** Work that goes on when the request that it belongs to has been answered: the connections stay open for it while the gateway stops. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.held.add(work);
    try {
      return await work;
    } finally {
      this.held.delete(work);
    }
  }

  /** When the answer to a call that begins now must be here, in milliseconds of `performance.now()`. */
  deadline(): number {
    return performance.now() + this.timeoutMs;
  }

  /**
   * Resolves as what is awaited does, but in time.
   * @throws BrokerError of kind `unreachable` once the deadline has passed
   */
  async before<T>(deadline: number, awaited: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const tell = (): void => reject(new BrokerError({ kind: 'unreachable', reason: WAITED_TOO_LONG }));
      timer = setTimeout(tell, Math.max(0, deadline - performance.now()));
    });
    try {
      return await Promise.race([awaited, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws BrokerError of kind `unreachable` when there is no answer */
  async exchange({
    method,
    path,
    body,
    token,
    deadline = this.deadline(),
  }: BrokerCall): Promise<BrokerAnswer> {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw new BrokerError({ kind: 'unreachable', reason: WAITED_TOO_LONG });
    // It holds for the wait for a free connection as well.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`no answer within ${this.timeoutMs} ms`)), leftMs);
    try {
      const answer = await this.pool.request({
        signal: limit.signal,
        method,
        path: this.prefix + path,
        headers: {
          accept: 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode: status, headers } = answer;
      return { status, headers, value: parseJson(await answer.body.text()) };
    } catch (error) {
      throw new BrokerError({ kind: 'unreachable', reason: reasonOf(error) });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The error object of an answer; undefined when there is none. */
export function errorOf({ value }: BrokerAnswer): ErrorDetail | undefined {
  const result = errorBody.safeParse(value);
  return result.success ? result.data.err : undefined;
}

/** @throws BrokerError of kind `unreachable` when the answer is not the broker's: something else stands in its place */
export function read<T>({ status, value }: BrokerAnswer, schema: ZodType<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reason = `it answered ${status} with something unexpected (${z.prettifyError(result.error)})`;
  throw new BrokerError({ kind: 'unreachable', reason });
}

/** Node's system errors carry a code that says more than an aggregate's empty message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return error.message || code || error.name;
}
