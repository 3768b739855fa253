import { parseRetryAfter } from '@ssb/net';
import { z, type ZodType } from 'zod';
import { receivedErrorBody } from '../error-body.js';
import { receivedChannels, type Channel } from '../gateway/channel.js';
import type { MissedMessages } from '../gateway/events-frame.js';
import {
  identity,
  receivedEnrolment,
  verifySignatureSuccess,
  type Enrolment,
  type Identity,
  type VerifySignature,
} from '../gateway/identity.js';
import { toMessages, type MalformedMessageError, type Message } from '../gateway/message.js';
import { GAP_HEADER, MORE_HEADER, readGapHeader, readMoreHeader } from '../gateway/response-headers.js';
import {
  receivedSendMessageSuccess,
  type SendMessage,
  type SendMessageSuccess,
} from '../gateway/send-message.js';
import { GatewayError, InvalidGatewayResponseError } from './gateway-errors.js';
import {
  GatewayHttp,
  isSuccess,
  readValue,
  type GatewayCall,
  type GatewayHttpOptions,
  type Headers,
} from './gateway-http.js';
import { withRetries, type GatewayRetryOptions } from './gateway-retry.js';

export interface GatewayClientOptions extends GatewayHttpOptions {
  /** Repeats failed calls where `decideRetry` allows it. Default: no repeat. */
  readonly retries?: GatewayRetryOptions;
  /** Called with the error of each failed attempt. */
  readonly onFailure?: (error: unknown) => void;
}

export interface ReadMessagesQuery {
  readonly fqcn: string;
  readonly amount?: number;
  /** ISO 8601, UTC. */
  readonly from?: string;
  readonly clientId?: string;
  /** Maximum size of the response. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Called before the messages are returned, when some were removed before this client read them. */
  readonly onGap?: (missed: MissedMessages) => void;
  /** Called before the messages are returned, when the channel has more. */
  readonly onMore?: () => void;
  /** Called for each message that does not conform to document 002, which is left out. Default: the whole response is refused. */
  readonly onMalformed?: (error: MalformedMessageError) => void;
}

interface Call extends GatewayCall {
  /** Whether the request is idempotent. Default true. */
  readonly repeatable?: boolean;
  /** Called with the headers of a successful response. */
  readonly onHeaders?: (headers: Headers) => void;
}

const MAX_DOCUMENT_BYTES = 1_048_576;

/**
 * Client of a message-bus gateway (document 002). Every method throws GatewayError for an error response,
 * GatewayUnreachableError without a response, and InvalidGatewayResponseError for a response that is not the document's.
 */
export class GatewayClient {
  private readonly http: GatewayHttp;
  private readonly closing = new AbortController();

  constructor(private readonly options: GatewayClientOptions) {
    this.http = new GatewayHttp(options);
  }

  /**
   * Posts a message, which the gateway signs. A request without `transactionId` is not retried.
   * @param headers additional request headers, such as `traceparent`
   */
  sendMessage(body: SendMessage, headers?: Readonly<Record<string, string>>): Promise<SendMessageSuccess> {
    const repeatable = body.transactionId !== undefined;
    return this.call(
      { method: 'POST', path: '/api/v1/message', body, headers, repeatable },
      receivedSendMessageSuccess,
    );
  }

  /**
   * Reads messages after this client's offset, or since `from`. It is never retried: the offset moves when the gateway responds, at some
   * gateways also with `from`, so a retry would skip the messages of a lost response.
   */
  async readMessages(given: ReadMessagesQuery): Promise<Message[]> {
    const { fqcn, amount, from, clientId, maxBytes, onGap, onMore, onMalformed } = given;
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
    const call: Call = {
      method: 'GET',
      path,
      repeatable: false,
      onHeaders,
      ...(maxBytes && { maxBytes }),
    };
    return toMessages(await this.call(call, z.array(z.unknown())), { fqcn, onMalformed });
  }

  channels(): Promise<Channel[]> {
    return this.call({ method: 'GET', path: '/api/v1/channels' }, receivedChannels);
  }

  identity(): Promise<Identity> {
    return this.call({ method: 'GET', path: '/api/v1/config/identity' }, identity);
  }

  setIdentity(privateKey: string): Promise<Identity> {
    return this.call({ method: 'POST', path: '/api/v1/config/identity', body: { privateKey } }, identity);
  }

  /** Requests the roles that the gateway's identity needs. Idempotent. */
  enrol(): Promise<Enrolment> {
    return this.call({ method: 'POST', path: '/api/v1/config/enrol' }, receivedEnrolment);
  }

  enrolment(): Promise<Enrolment> {
    return this.call({ method: 'GET', path: '/api/v1/config/enrol' }, receivedEnrolment);
  }

  /**
   * Checks that `did` signed `payload`. A mismatch has status 200 and throws GatewayError NO_MATCH. An empty response, as the public gateway
   * sends for each signature, confirms nothing: false.
   */
  async verifySignature(body: VerifySignature): Promise<boolean> {
    const success = await this.call(
      { method: 'POST', path: '/api/v1/verifysignature', body },
      verifySignatureSuccess.optional(),
    );
    return success?.ok ?? false;
  }

  /** Resolves when the gateway runs and has a connection to its broker. */
  async health(): Promise<void> {
    await this.call({ method: 'GET', path: '/api/health', isText: true }, z.unknown());
  }

  /** Reads `/api/v1/docs/rest.yaml` or `ws.yaml`, in which the gateway describes its interfaces. */
  document(name: 'rest.yaml' | 'ws.yaml'): Promise<string> {
    return this.call(
      { method: 'GET', path: `/api/v1/docs/${name}`, isText: true, maxBytes: MAX_DOCUMENT_BYTES },
      z.string(),
    );
  }

  /** Ends the delays between attempts and waits for requests in flight. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.http.close();
  }

  /** Ends the delays between attempts and aborts requests in flight. */
  async abort(): Promise<void> {
    this.closing.abort();
    await this.http.abort();
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
    const { status, text, headers } = await this.http.send(call);
    const value = call.isText === true && isSuccess(status) ? text : readValue(status, text);
    // A mismatch of verifysignature is an error with status 200 (document 002, rule 4).
    const failure = receivedErrorBody.safeParse(value);
    if (failure.success) {
      throw new GatewayError(status, failure.data.err, parseRetryAfter(headers['retry-after'], Date.now()));
    }
    if (!isSuccess(status))
      throw new InvalidGatewayResponseError(status, 'an error without its error object');
    const result = schema.safeParse(value);
    if (!result.success) throw new InvalidGatewayResponseError(status, z.prettifyError(result.error));
    call.onHeaders?.(headers);
    return result.data;
  }
}
