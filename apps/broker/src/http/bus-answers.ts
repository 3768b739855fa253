import { describeFailure, type AnswerFailure, type Logger } from '@ssb/platform';
import { asBusError, BusError, type BusErrorCode } from '../bus-error.js';

const CODE_OF_STATUS: Readonly<Record<number, BusErrorCode>> = {
  404: 'BUS::NOT_FOUND',
  413: 'BUS::TOO_LARGE',
  415: 'BUS::UNSUPPORTED_MEDIA_TYPE',
  429: 'BUS::TOO_MANY_REQUESTS',
};

/** Answers every failure with document 002's `err` object; our own faults are logged, never shown. */
export function busAnswers(log: Logger): AnswerFailure {
  return (error, reply) => {
    const shown = asBusError(error) ?? translate(error, bodySizes(reply), log);
    if (shown.status === 503) log.warn({ err: error }, 'the engine could not serve a request');
    if (shown.code === 'BUS::UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
    if (shown.status === 429 || shown.status === 503) reply.header('retry-after', '1');
    reply.status(shown.status).header('content-type', 'application/json').send(JSON.stringify(shown.body()));
  };
}

/** Anything thrown while one message of several was received, as its sender sees it; our own faults are logged, never shown. */
export function messageError(error: unknown, log: Logger): BusError {
  return asBusError(error) ?? translate(error, undefined, log);
}

function translate(error: unknown, sizes: BodySizes | undefined, log: Logger): BusError {
  const { status, title, detail, expected } = describeFailure(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return new BusError('BUS::INTERNAL', 'The broker failed; the failure was recorded.');
  }
  if (status === 413) return tooLarge(sizes);
  return new BusError(CODE_OF_STATUS[status] ?? 'BUS::INVALID_REQUEST', detail ?? title);
}

function tooLarge(sizes: BodySizes | undefined): BusError {
  if (!sizes) return new BusError('BUS::TOO_LARGE', 'The body is too large.');
  const { size, limit } = sizes;
  const has = size === undefined ? 'is too large' : `has ${size} bytes`;
  return new BusError('BUS::TOO_LARGE', `The body ${has}; here it may have ${limit}.`, sizes);
}

/** What a refusal of a large body says beside its code. */
interface BodySizes {
  /** Bytes, as the request announced them; undefined for a body that came in chunks. */
  readonly size?: number;
  readonly limit: number;
}

interface ReplyToRequest {
  readonly request: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly routeOptions: { readonly bodyLimit?: number };
  };
}

/** Both sizes of the request that a reply belongs to; undefined where the address has no limit of its own, as an unknown one. */
function bodySizes(reply: object): BodySizes | undefined {
  if (!('request' in reply)) return undefined;
  const { headers, routeOptions } = (reply as ReplyToRequest).request;
  const limit = routeOptions.bodyLimit;
  if (limit === undefined) return undefined;
  const size = Number(headers['content-length'] ?? Number.NaN);
  return { ...(Number.isSafeInteger(size) && { size }), limit };
}
