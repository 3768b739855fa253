import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { escapeLines } from '@ssb/net';
import type { Logger } from '../logging/logger.js';
import { InvalidRequestError, ProblemException } from './problem-exception.js';

/** The part of a Fastify reply that an error response needs. */
export interface HttpReply {
  status(code: number): HttpReply;
  header(name: string, value: string): HttpReply;
  send(body: unknown): unknown;
}

/**
 * Writes the error response of any failed request in the form of the app's interface document. Never throws. The reply
 * to a malformed request is not a Fastify reply and has no `request`.
 */
export type ErrorResponder = (error: unknown, reply: HttpReply) => void;

/** Passes every exception of a controller, guard or pipe to the app's error responder. */
@Catch()
export class AllExceptionsFilter implements ExceptionFilter {
  constructor(private readonly respond: ErrorResponder) {}

  catch(error: unknown, host: ArgumentsHost): void {
    this.respond(error, host.switchToHttp().getResponse<HttpReply>());
  }
}

/** Responds to every error with problem+json (RFC 9457). Unexpected errors are logged, and the client sees no detail of them. */
export function problemResponder(log: Logger): ErrorResponder {
  return (error, reply) => {
    const { status, title, detail, extensions, expected } = describeError(error);
    if (!expected) log.error({ err: error }, 'request failed');
    reply
      .status(status)
      .header('content-type', 'application/problem+json')
      .send(escapeLines(JSON.stringify({ type: 'about:blank', title, status, detail, ...extensions })));
  };
}

/** What the client may see of an error. */
export interface ErrorDescription {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly extensions: Readonly<Record<string, unknown>>;
  /** False for a fault of the server itself, which is logged. */
  readonly expected: boolean;
}

/** Maps any error of a request to what the client may see. Used by the error responders of all apps. */
export function describeError(error: unknown): ErrorDescription {
  if (error instanceof ProblemException) {
    const { status, title, detail, extensions } = error;
    return { status, title, detail, extensions, expected: status < 500 };
  }
  if (error instanceof InvalidRequestError) {
    const { message: detail, faults } = error;
    return { status: 422, title: 'Unprocessable content', detail, extensions: { faults }, expected: true };
  }
  const status = error instanceof HttpException ? error.getStatus() : clientErrorStatus(error);
  if (status !== undefined) {
    return {
      status,
      title: TITLES[status] ?? 'Request refused',
      detail: status === 415 ? UNSUPPORTED_MEDIA_TYPE : messageOf(error),
      extensions: {},
      expected: status < 500,
    };
  }
  return {
    status: 500,
    title: 'Internal error',
    detail: 'The error was logged.',
    extensions: {},
    expected: false,
  };
}

/** Fastify repeats the type of the client. An app with other types than JSON refuses a body itself. */
const UNSUPPORTED_MEDIA_TYPE =
  'The body has another media type. Send it with Content-Type: application/json.';

function messageOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}

/** Fastify marks an error of the client (bad JSON, body too large) with a 4xx `statusCode`. */
function clientErrorStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  503: 'Service unavailable',
};
