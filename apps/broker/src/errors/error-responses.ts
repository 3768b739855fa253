import { describeError, type ErrorResponder, type Logger } from '@ssb/platform';
import type { ResponseFormat } from '../messages/response-format.js';
import { BusError, toBusError, type BusErrorCode } from './bus-error.js';

const STATUS_CODES: Readonly<Record<number, BusErrorCode>> = {
  404: 'BUS::NOT_FOUND',
  413: 'BUS::TOO_LARGE',
  415: 'BUS::UNSUPPORTED_MEDIA_TYPE',
  429: 'BUS::TOO_MANY_REQUESTS',
};

/** Responds to every failed request with the `err` object of document 002. */
export function busErrorResponses(log: Logger, format: ResponseFormat): ErrorResponder {
  return (error, reply) => {
    const busError = toResponseError(error, log, reply);
    if (busError.status === 503) log.warn({ err: error }, 'storage engine unavailable');
    if (busError.code === 'BUS::UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (busError.status === 429 || busError.status === 503) reply.header('retry-after', '1');
    const { status, contentType, text } = format.writeError(busError);
    reply.status(status).header('content-type', contentType).send(text);
  };
}

/** Maps any error to the one that the client receives. An internal error is logged and its details are not sent. */
export function toResponseError(error: unknown, log: Logger, reply?: object): BusError {
  const busError = toBusError(error);
  if (busError) return busError;
  const { status, title, detail, expected } = describeError(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return new BusError('BUS::INTERNAL', 'The broker failed; its log contains the error.');
  }
  if (status === 413) return tooLargeError(reply);
  return new BusError(STATUS_CODES[status] ?? 'BUS::INVALID_REQUEST', detail ?? title);
}

interface ReplyWithRequest {
  readonly request?: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly routeOptions: { readonly bodyLimit?: number };
  };
}

/** Includes the size and the limit when they are known. An unknown path has no limit; a chunked body has no `content-length`. */
function tooLargeError(reply: ReplyWithRequest | undefined): BusError {
  const limit = reply?.request?.routeOptions.bodyLimit;
  if (limit === undefined) return new BusError('BUS::TOO_LARGE', 'The body is too large.');
  const size = Number(reply?.request?.headers['content-length'] ?? Number.NaN);
  const isKnown = Number.isSafeInteger(size);
  const reason = `The body ${isKnown ? `has ${size} bytes` : 'is too large'}; the limit is ${limit} bytes.`;
  return new BusError('BUS::TOO_LARGE', reason, { ...(isKnown && { size }), limit });
}
