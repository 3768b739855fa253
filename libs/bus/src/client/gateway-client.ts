import { ServerConnections, type ClientConnection } from '@ssb/client-connections';
import {
  BodyTooLargeError,
  parseRetryAfter,
  readBody,
  readDateHeader,
  type ClockReading,
} from '@ssb/resilience';
import { z, type ZodType } from 'zod';
import { errorBody } from '../error-body.js';
import { channel, type Channel } from '../gateway/channel.js';
import type { MissedMessages } from '../gateway/events-frame.js';
import {
  enrolment,
  identity,
  verifySignatureSuccess,
  type Enrolment,
  type Identity,
  type VerifySignature,
} from '../gateway/identity.js';
import { parseMessageJson, toMessages, type Message } from '../gateway/message.js';
import { GAP_HEADER, MORE_HEADER, readGapHeader, readMoreHeader } from '../gateway/response-headers.js';
import { sendMessageSuccess, type SendMessage, type SendMessageSuccess } from '../gateway/send-message.js';
import { basicAuthorization } from './basic-authorization.js';
import { GatewayError, GatewayUnreachableError, InvalidGatewayResponseError } from './gateway-errors.js';
import { withRetries, type GatewayRetryOptions } from './gateway-retry.js';

export interface GatewayClientOptions {
  /** Address of the gateway without the `/api` part. It can have a path. */
  readonly baseUrl: string;
  readonly username: string;
  /** A function returns the password of each request, so that it can be rotated. */
  readonly password: string | (() => string);
  /** Timeout of one attempt, milliseconds. Includes the wait for a connection. */
  readonly timeoutMs: number;
  /** Maximum number of connections. Default 16. */
  readonly connections?: number;
  /** Certificates and proxy. */
  readonly connection?: ClientConnection;
  /** Repeats failed calls where `decideRetry` allows it. Default: no repeat. */
  readonly retries?: GatewayRetryOptions;
  /** Called with the error of each failed attempt. */
  readonly onFailure?: (error: unknown) => void;
  /** Called with the gateway's clock for each response of any status that has a `Date`. */
  readonly onClockReading?: (reading: ClockReading) => void;
}

export interface ReadMessagesQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC. */
  readonly from?: string;
  readonly clientId?: string;
  /** Called before the messages are returned, when some were removed before this client read them. */
  readonly onGap?: (missed: MissedMessages) => void;
  /** Called before the messages are returned, when the channel has more. */
  readonly onMore?: () => void;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Whether the request is idempotent. Default true. */
  readonly repeatable?: boolean;
  /** Called with the headers of a successful response. */
  readonly onHeaders?: (headers: Headers) => void;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface RawResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A page of the broker, in which JSON may escape each byte as two, and its other fields. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576;

/**
 * Client of a message-bus gateway (document 002). Every method throws GatewayError for an error response,
 * GatewayUnreachableError without a response, and InvalidGatewayResponseError for a response that is not the document's.
 */
export class GatewayClient {
  private readonly connections: ServerConnections;
  private readonly prefix: string;
  /** For errors: the address without user and password. */
  private readonly displayUrl: string;
  private readonly closing = new AbortController();

  constructor(private readonly options: GatewayClientOptions) {
    const server = new URL(options.baseUrl);
    const { origin, pathname } = server;
    this.prefix = pathname.replace(/\/+$/, '');
    this.displayUrl = origin + this.prefix;
    this.connections = new ServerConnections(server, options.connection ?? {}, {
      connections: options.connections ?? 16,
      timeoutMs: options.timeoutMs,
    });
  }

  /** Posts a message, which the gateway signs. A request without `transactionId` is not retried. */
  sendMessage(body: SendMessage): Promise<SendMessageSuccess> {
    const repeatable = body.transactionId !== undefined;
    return this.call({ method: 'POST', path: '/api/v1/message', body, repeatable }, sendMessageSuccess);
  }

  /**
   * Reads messages after this client's position, or since `from`. A request without `from` is not retried.
   * The position moves when the gateway responds, so a retry would skip the messages of a lost response.
   */
  async readMessages({ fqcn, amount, from, clientId, onGap, onMore }: ReadMessagesQuery): Promise<Message[]> {
    const query = new URLSearchParams({ fqcn });
    if (amount !== undefined) query.set('amount', String(amount));
    if (from !== undefined) query.set('from', from);
    if (clientId !== undefined) query.set('clientId', clientId);
    const onHeaders = (headers: Headers): void => {
      const gap = readGapHeader(headers[GAP_HEADER]);
      if (gap) onGap?.({ fqcn, ...gap });
      if (readMoreHeader(headers[MORE_HEADER])) onMore?.();
    };
    const path = `/api/v1/message?${query.toString()}`;
    const repeatable = from !== undefined;
    return toMessages(await this.call({ method: 'GET', path, repeatable, onHeaders }, z.array(z.unknown())));
  }

  channels(): Promise<Channel[]> {
    return this.call({ method: 'GET', path: '/api/v1/channels' }, z.array(channel));
  }

  identity(): Promise<Identity> {
    return this.call({ method: 'GET', path: '/api/v1/config/identity' }, identity);
  }

  setIdentity(privateKey: string): Promise<Identity> {
    return this.call({ method: 'POST', path: '/api/v1/config/identity', body: { privateKey } }, identity);
  }

  /** Requests the roles that the gateway's identity needs. Idempotent. */
  enrol(): Promise<Enrolment> {
    return this.call({ method: 'POST', path: '/api/v1/config/enrol' }, enrolment);
  }

  enrolment(): Promise<Enrolment> {
    return this.call({ method: 'GET', path: '/api/v1/config/enrol' }, enrolment);
  }

  /** Checks that `did` signed `payload`. A mismatch has status 200 and throws GatewayError NO_MATCH. */
  async verifySignature(body: VerifySignature): Promise<boolean> {
    const success = await this.call(
      { method: 'POST', path: '/api/v1/verifysignature', body },
      verifySignatureSuccess,
    );
    return success.ok;
  }

  /** Resolves when the gateway runs and has a connection to its broker. */
  async health(): Promise<void> {
    await this.call({ method: 'GET', path: '/api/health' }, z.unknown());
  }

  /** Ends the delays between attempts and waits for requests in flight. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.connections.close();
  }

  private call<T>(call: Call, schema: ZodType<T>): Promise<T> {
    const { retries } = this.options;
    if (retries === undefined) return this.callOnce(call, schema);
    const { signal } = this.closing;
    const options = { ...retries, repeatable: call.repeatable ?? true, signal };
    return withRetries(options, () => this.callOnce(call, schema));
  }

  private async callOnce<T>(call: Call, schema: ZodType<T>): Promise<T> {
    try {
      return await this.request(call, schema);
    } catch (error) {
      this.options.onFailure?.(error);
      throw error;
    }
  }

  private async request<T>(call: Call, schema: ZodType<T>): Promise<T> {
    const { status, text, headers } = await this.send(call);
    const value = text === '' ? undefined : readJson(status, text);
    // A mismatch of verifysignature is an error with status 200 (document 002, rule 4).
    const failure = errorBody.safeParse(value);
    if (failure.success) {
      throw new GatewayError(status, failure.data.err, parseRetryAfter(headers['retry-after'], Date.now()));
    }
    if (status < 200 || status > 299)
      throw new InvalidGatewayResponseError(status, 'an error without its error object');
    const result = schema.safeParse(value);
    if (!result.success) throw new InvalidGatewayResponseError(status, z.prettifyError(result.error));
    call.onHeaders?.(headers);
    return result.data;
  }

  private async send({ method, path, body }: Call): Promise<RawResponse> {
    const { timeoutMs, onClockReading, username, password } = this.options;
    // The timeouts of the connections start when a connection is free; this one includes the wait in its queue.
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    const requestedAt = Date.now();
    try {
      const response = await this.connections.request({
        signal: timeout.signal,
        method,
        path: this.prefix + path,
        headers: {
          authorization: basicAuthorization(username, password),
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode: status, headers } = response;
      const reading = readDateHeader(headers, { requestedAt, answeredAt: Date.now() });
      if (reading !== undefined) onClockReading?.(reading);
      const text = await readText(response.body, status);
      return { status, text, headers };
    } catch (cause) {
      if (cause instanceof InvalidGatewayResponseError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GatewayUnreachableError(`no response from the gateway at ${this.displayUrl}: ${reason}`, {
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

function readJson(status: number, text: string): unknown {
  try {
    return parseMessageJson(text);
  } catch {
    throw new InvalidGatewayResponseError(status, 'not JSON');
  }
}

/** @throws InvalidGatewayResponseError when the body is too large */
async function readText(body: AsyncIterable<Buffer>, status: number): Promise<string> {
  try {
    return String(await readBody(body, MAX_RESPONSE_BYTES));
  } catch (error) {
    if (error instanceof BodyTooLargeError)
      throw new InvalidGatewayResponseError(status, 'larger than the maximum size');
    throw error;
  }
}
