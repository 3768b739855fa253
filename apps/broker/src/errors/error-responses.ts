import { describeError, type ErrorResponder, type Logger } from '@ssb/platform';
import { BusError, toBusError, type BusErrorCode } from './bus-error.js';

const STATUS_CODES: Readonly<Record<number, BusErrorCode>> = {
  404: 'BUS::NOT_FOUND',
  413: 'BUS::TOO_LARGE',
  415: 'BUS::UNSUPPORTED_MEDIA_TYPE',
  429: 'BUS::TOO_MANY_REQUESTS',
};

/** Answers every failed request with document 002's `err` object. */
export function busErrorResponses(log: Logger): ErrorResponder {
  return (error, reply) => {
    const busError = toResponseError(error, log, reply);
    if (busError.status === 503) log.warn({ err: error }, 'storage engine unavailable');
    if (busError.code === 'BUS::UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (busError.status === 429 || busError.status === 503) reply.header('retry-after', '1');
    const body = JSON.stringify(busError.body());
    reply.status(busError.status).header('content-type', 'application/json').send(body);
  };
}

/** Any error as the client sees it. A fault of the broker is logged and never shown. */
export function toResponseError(error: unknown, log: Logger, reply?: object): BusError {
  const busError = toBusError(error);
  if (busError) return busError;
  const { status, title, detail, expected } = describeError(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return new BusError('BUS::INTERNAL', 'The broker failed; the failure was recorded.');
  }
  if (status === 413) return tooLargeError(reply);
  return new BusError(STATUS_CODES[status] ?? 'BUS::INVALID_REQUEST', detail ?? title);
}

interface ReplyToRequest {
  readonly request?: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly routeOptions: { readonly bodyLimit?: number };
  };
}

/** With both sizes where they are known: an unknown path has no limit, and a chunked body announces no size. */
function tooLargeError(reply: ReplyToRequest | undefined): BusError {
  const limit = reply?.request?.routeOptions.bodyLimit;
  if (limit === undefined) return new BusError('BUS::TOO_LARGE', 'The body is too large.');
  const size = Number(reply?.request?.headers['content-length'] ?? Number.NaN);
  const isKnown = Number.isSafeInteger(size);
  const reason = `The body ${isKnown ? `has ${size} bytes` : 'is too large'}; here it may have ${limit}.`;
  return new BusError('BUS::TOO_LARGE', reason, { ...(isKnown && { size }), limit });
}
