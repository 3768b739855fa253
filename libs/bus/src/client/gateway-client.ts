import { readRetryAfter } from '@ssb/resilience';
import { Pool } from 'undici';
import { z, type ZodType } from 'zod';
import { errorBody } from '../error-body.js';
import { channel, type Channel } from '../gateway/channel.js';
import { enrolment, type Enrolment } from '../gateway/enrolment.js';
import type { MissedMessages } from '../gateway/events-frame.js';
import { GAP_HEADER, readGapHeader } from '../gateway/gap-header.js';
import { identity, type Identity } from '../gateway/identity.js';
import { MORE_HEADER, readMoreHeader } from '../gateway/more-header.js';
import { messagesOf, parseMessageJson, type Message } from '../gateway/message.js';
import { sendMessageSuccess, type SendMessage, type SendMessageSuccess } from '../gateway/send-message.js';
import { verifySignatureSuccess, type VerifySignature } from '../gateway/verify-signature.js';
import { basicAuthorization } from './basic-authorization.js';
import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from './gateway-error.js';
import { withRetries, type RetryOptions } from './retries.js';

export interface GatewayClientOptions {
  /** Address of the gateway without the `/api` part; a path in front of it is kept. */
  readonly baseUrl: string;
  readonly username: string;
  readonly password: string;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  /** Most connections at once. Default 16. */
  readonly connections?: number;
  /** Certificate authority (PEM) of a gateway with a private certificate. */
  readonly ca?: string;
  /** Calls are tried again by the table of `retryOf`; without it each is tried once. */
  readonly retries?: RetryOptions;
}

export interface ReadMessagesQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC. */
  readonly from?: string;
  readonly clientId?: string;
  /** Told, before the messages are, that some were removed before this client had them. */
  readonly onGap?: (missed: MissedMessages) => void;
  /** Told, before the messages are, that there are further ones: the answer ended by `amount` or by the bytes that one may have. */
  readonly onMore?: () => void;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Doing it twice is not harmless. */
  readonly once?: boolean;
  /** Given the headers of the answer, if it is no error. */
  readonly onHeaders?: (headers: Headers) => void;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Largest answer, bytes: a page of the broker, of which JSON may write a byte as two, and more than room for the fields. */
const LARGEST_ANSWER = 64 * 1_048_576;

/**
 * Calls a message-bus gateway (document 002). Every method throws GatewayError when the gateway answers with an error,
 * GatewayUnreachableError when there is no answer, GatewayAnswerError when the answer is not the interface's. Nothing is retried unless
 * `retries` say so.
 */
export class GatewayClient {
  private readonly pool: Pool;
  private readonly prefix: string;
  /** For an error: without the user and password that an address may hold. */
  private readonly shownAddress: string;
  private readonly authorization: string;
  private readonly closing = new AbortController();

  constructor(private readonly options: GatewayClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.prefix = pathname.replace(/\/+$/, '');
    this.shownAddress = origin + this.prefix;
    this.authorization = basicAuthorization(options.username, options.password);
    this.pool = new Pool(origin, {
      connections: options.connections ?? 16,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      connect: { timeout: options.timeoutMs, ...(options.ca !== undefined && { ca: options.ca }) },
    });
  }

  /** Has a message signed and sent. A repeated `transactionId` gives the first message's id; without one it is never tried twice. */
  sendMessage(body: SendMessage): Promise<SendMessageSuccess> {
    const once = body.transactionId === undefined;
    return this.call({ method: 'POST', path: '/api/v1/message', body, once }, sendMessageSuccess);
  }

  /**
   * Messages that this gateway's identity has not had yet; with `from`, those since then. Without `from` it is never tried twice: the
   * position moves once an answer has left the gateway, and one that was lost after that would be passed over unnoticed.
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
    const once = from === undefined;
    return messagesOf(await this.call({ method: 'GET', path, once, onHeaders }, z.array(z.unknown())));
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

  /** Asks for the roles that the gateway's identity needs. Harmless when repeated. */
  enrol(): Promise<Enrolment> {
    return this.call({ method: 'POST', path: '/api/v1/config/enrol' }, enrolment);
  }

  enrolment(): Promise<Enrolment> {
    return this.call({ method: 'GET', path: '/api/v1/config/enrol' }, enrolment);
  }

  /** Whether `signature` over `payload` is of `did`. A mismatch comes with status 200 and is thrown as GatewayError NO_MATCH. */
  async verifySignature(body: VerifySignature): Promise<boolean> {
    const success = await this.call(
      { method: 'POST', path: '/api/v1/verifysignature', body },
      verifySignatureSuccess,
    );
    return success.ok;
  }

  /** Resolves when the gateway runs and reaches its broker. */
  async health(): Promise<void> {
    await this.call({ method: 'GET', path: '/api/health' }, z.unknown());
  }

  /** Ends the pauses between attempts, and waits for what is under way. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.pool.close();
  }

  private call<T>(call: Call, schema: ZodType<T>): Promise<T> {
    const { retries } = this.options;
    if (retries === undefined) return this.callOnce(call, schema);
    const { signal } = this.closing;
    return withRetries({ ...retries, repeatable: !call.once, signal }, () => this.callOnce(call, schema));
  }

  private async callOnce<T>(call: Call, schema: ZodType<T>): Promise<T> {
    const { status, text, headers } = await this.exchange(call);
    const value = text === '' ? undefined : readJson(status, text);
    // A mismatch of verifysignature is an error with status 200 (document 002, rule 4).
    const failure = errorBody.safeParse(value);
    if (failure.success) {
      throw new GatewayError(status, failure.data.err, readRetryAfter(headers['retry-after'], Date.now()));
    }
    if (status < 200 || status > 299)
      throw new GatewayAnswerError(status, 'an error without its error object');
    const result = schema.safeParse(value);
    if (!result.success) throw new GatewayAnswerError(status, z.prettifyError(result.error));
    call.onHeaders?.(headers);
    return result.data;
  }

  private async exchange({ method, path, body }: Call): Promise<Exchanged> {
    const { timeoutMs } = this.options;
    // The pool's own limits begin when a connection is free; this one holds for the wait in its queue as well.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error(`none within ${timeoutMs} ms`)), timeoutMs);
    try {
      const answer = await this.pool.request({
        signal: limit.signal,
        method,
        path: this.prefix + path,
        headers: {
          authorization: this.authorization,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode: status, headers } = answer;
      const text = await boundedText(answer.body);
      if (text === undefined) throw new GatewayAnswerError(status, 'larger than any answer may be');
      return { status, text, headers };
    } catch (cause) {
      if (cause instanceof GatewayAnswerError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GatewayUnreachableError(`no answer from the gateway at ${this.shownAddress}: ${reason}`, {
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
    throw new GatewayAnswerError(status, 'not JSON');
  }
}

interface Exchanged {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Undefined when it is too large; the rest of it is not read then. */
async function boundedText(body: AsyncIterable<Buffer>): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}
