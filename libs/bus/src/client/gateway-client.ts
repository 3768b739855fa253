import { Pool } from 'undici';
import { z, type ZodType } from 'zod';
import { errorBody } from '../error-body.js';
import { channel, type Channel } from '../gateway/channel.js';
import { enrolment, type Enrolment } from '../gateway/enrolment.js';
import { identity, type Identity } from '../gateway/identity.js';
import { messagesOf, parseMessageJson, type Message } from '../gateway/message.js';
import { sendMessageSuccess, type SendMessage, type SendMessageSuccess } from '../gateway/send-message.js';
import { verifySignatureSuccess, type VerifySignature } from '../gateway/verify-signature.js';
import { basicAuthorization } from './basic-authorization.js';
import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from './gateway-error.js';

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
}

export interface ReadMessagesQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC. */
  readonly from?: string;
  readonly clientId?: string;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}

/**
 * Calls a message-bus gateway (document 002). Every method throws GatewayError when the gateway answers with an error,
 * GatewayUnreachableError when there is no answer, GatewayAnswerError when the answer is not the interface's. Nothing is retried.
 */
export class GatewayClient {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly authorization: string;

  constructor(private readonly options: GatewayClientOptions) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.prefix = pathname.replace(/\/+$/, '');
    this.authorization = basicAuthorization(options.username, options.password);
    this.pool = new Pool(origin, {
      connections: options.connections ?? 16,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      connect: { timeout: options.timeoutMs, ...(options.ca !== undefined && { ca: options.ca }) },
    });
  }

  /** Has a message signed and sent. A repeated `transactionId` gives the first message's id. */
  sendMessage(body: SendMessage): Promise<SendMessageSuccess> {
    return this.call({ method: 'POST', path: '/api/v1/message', body }, sendMessageSuccess);
  }

  /** Messages that this gateway's identity has not had yet; with `from`, those since then. */
  async readMessages({ fqcn, amount, from, clientId }: ReadMessagesQuery): Promise<Message[]> {
    const query = new URLSearchParams({ fqcn });
    if (amount !== undefined) query.set('amount', String(amount));
    if (from !== undefined) query.set('from', from);
    if (clientId !== undefined) query.set('clientId', clientId);
    return messagesOf(
      await this.call({ method: 'GET', path: `/api/v1/message?${query.toString()}` }, z.array(z.unknown())),
    );
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

  async close(): Promise<void> {
    await this.pool.close();
  }

  private async call<T>({ method, path, body }: Call, schema: ZodType<T>): Promise<T> {
    const { status, text } = await this.exchange({ method, path, body });
    const value = text === '' ? undefined : readJson(status, text);
    // A mismatch of verifysignature is an error with status 200 (document 002, rule 4).
    const failure = errorBody.safeParse(value);
    if (failure.success) throw new GatewayError(status, failure.data.err);
    if (status < 200 || status > 299)
      throw new GatewayAnswerError(status, 'an error without its error object');
    const result = schema.safeParse(value);
    if (!result.success) throw new GatewayAnswerError(status, z.prettifyError(result.error));
    return result.data;
  }

  private async exchange({ method, path, body }: Call): Promise<{ status: number; text: string }> {
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
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new GatewayUnreachableError(`no answer from the gateway at ${this.options.baseUrl}: ${reason}`, {
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
