import {
  ServerConnections,
  type ClientConnection,
  BodyTooLargeError,
  readDateHeader,
  readResponse,
  type ClockReading,
  type EncodedResponse,
} from '@ssb/net';
import { parseMessageJson } from '../gateway/message.js';
import { basicAuthorization } from './basic-authorization.js';
import {
  GatewayResponseTooLargeError,
  GatewayUnreachableError,
  InvalidGatewayResponseError,
} from './gateway-errors.js';

export interface GatewayHttpOptions {
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
  /** Called with the gateway's clock for each response of any status that has a `Date`. */
  readonly onClockReading?: (reading: ClockReading) => void;
}

export interface GatewayCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  /** Additional request headers, names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body of a successful response is a text and not JSON. */
  readonly isText?: boolean;
  /** Default `MAX_RESPONSE_BYTES`. */
  readonly maxBytes?: number;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface RawResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A page of the broker, in which JSON may escape each byte as two, and its other fields. */
const MAX_RESPONSE_BYTES = 64 * 1_048_576;

/** Sends requests to a gateway over connections of its own. */
export class GatewayHttp {
  private readonly connections: ServerConnections;
  private readonly prefix: string;
  /** The address without user and password, for errors. */
  private readonly displayUrl: string;

  constructor(private readonly options: GatewayHttpOptions) {
    const server = new URL(options.baseUrl);
    const { origin, pathname } = server;
    this.prefix = pathname.replace(/\/+$/, '');
    this.displayUrl = origin + this.prefix;
    this.connections = new ServerConnections(server, options.connection ?? {}, {
      connections: options.connections ?? 16,
      timeoutMs: options.timeoutMs,
    });
  }

  /** @throws GatewayUnreachableError, GatewayResponseTooLargeError */
  async send({
    method,
    path,
    body,
    headers: additional,
    isText,
    maxBytes = MAX_RESPONSE_BYTES,
  }: GatewayCall): Promise<RawResponse> {
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
          ...additional,
          authorization: basicAuthorization(username, password),
          accept: isText === true ? '*/*' : 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const { statusCode: status, headers } = response;
      const reading = readDateHeader(headers, { requestedAt, respondedAt: Date.now() });
      if (reading !== undefined) onClockReading?.(reading);
      const text = await readText(response, status, maxBytes);
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

  /** Waits for requests in flight. */
  async close(): Promise<void> {
    await this.connections.close();
  }

  /** Aborts requests in flight. */
  async abort(): Promise<void> {
    await this.connections.destroy();
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** @throws InvalidGatewayResponseError */
export function readValue(status: number, text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseMessageJson(text);
  } catch {
    throw new InvalidGatewayResponseError(status, 'not JSON');
  }
}

/** @throws GatewayResponseTooLargeError */
async function readText(response: EncodedResponse, status: number, maxBytes: number): Promise<string> {
  try {
    return String(await readResponse(response, maxBytes));
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw new GatewayResponseTooLargeError(status);
    throw error;
  }
}
