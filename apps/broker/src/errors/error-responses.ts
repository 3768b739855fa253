import { describeFailure, type AnswerFailure, type Logger } from '@ssb/platform';
import { asBusError, BusError, type BusErrorCode } from './bus-error.js';

const CODE_OF_STATUS: Readonly<Record<number, BusErrorCode>> = {
  404: 'BUS::NOT_FOUND',
  413: 'BUS::TOO_LARGE',
  415: 'BUS::UNSUPPORTED_MEDIA_TYPE',
  429: 'BUS::TOO_MANY_REQUESTS',
};

/** Answers every failure with document 002's `err` object; our own faults are logged, never shown. */
export function busAnswers(log: Logger): AnswerFailure {
  return (error, reply) => {
    const shown = asBusError(error) ?? translate(error, reply, log);
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

function translate(error: unknown, reply: object | undefined, log: Logger): BusError {
  const { status, title, detail, expected } = describeFailure(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return new BusError('BUS::INTERNAL', 'The broker failed; the failure was recorded.');
  }
  if (status === 413) return tooLarge(reply);
  return new BusError(CODE_OF_STATUS[status] ?? 'BUS::INVALID_REQUEST', detail ?? title);
}

interface ReplyToRequest {
  readonly request?: {
    readonly headers: Readonly<Record<string, unknown>>;
    readonly routeOptions: { readonly bodyLimit?: number };
  };
}

/** With both sizes where they are known: an unknown address has no limit of its own, and a body in chunks announces no size. */
function tooLarge(reply: ReplyToRequest | undefined): BusError {
  const limit = reply?.request?.routeOptions.bodyLimit;
  if (limit === undefined) return new BusError('BUS::TOO_LARGE', 'The body is too large.');
  const size = Number(reply?.request?.headers['content-length'] ?? Number.NaN);
  const known = Number.isSafeInteger(size);
  const reason = `The body ${known ? `has ${size} bytes` : 'is too large'}; here it may have ${limit}.`;
  return new BusError('BUS::TOO_LARGE', reason, { ...(known && { size }), limit });
}
