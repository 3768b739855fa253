import type { ErrorBody } from '@ssb/bus';
import { InvalidRequestError } from '@ssb/platform';
import { EngineUnavailableError } from '../storage/message-log.js';

/** Every error code of the broker and its HTTP status: the codes of document 002, and codes for cases that it does not name. */
export const STATUS_BY_CODE = {
  'BUS::INVALID_REQUEST': 400,
  'BUS::UNAUTHENTICATED': 401,
  'BUS::LOGIN_FAILED': 401,
  'BUS::CHANNEL_UNAUTHORIZED': 401,
  'BUS::FORBIDDEN_RESOURCE': 403,
  'BUS::FORBIDDEN': 403,
  'BUS::CHANNEL_NOT_FOUND': 404,
  'BUS::NOT_FOUND': 404,
  'BUS::METHOD_NOT_ALLOWED': 405,
  'BUS::CHANNEL_EXISTS': 409,
  'BUS::STALE_DECISION': 409,
  'BUS::SUPERSEDED': 409,
  'BUS::TOO_LARGE': 413,
  'BUS::MESSAGE_TOO_LARGE': 413,
  'BUS::UNSUPPORTED_MEDIA_TYPE': 415,
  'BUS::SCHEMA_MISMATCH': 422,
  'BUS::INVALID_SIGNATURE': 422,
  'BUS::INVALID_SCHEMA': 422,
  'BUS::TOO_MANY_REQUESTS': 429,
  'BUS::INTERNAL': 500,
  'BUS::UNHEALTHY': 503,
} as const;

export type BusErrorCode = keyof typeof STATUS_BY_CODE;

/** An error response of the broker (document 002, Error). It must not contain secrets. */
export class BusError extends Error {
  override readonly name = 'BusError';

  constructor(
    readonly code: BusErrorCode,
    readonly reason: string,
    readonly additionalInformation?: unknown,
    options?: ErrorOptions,
  ) {
    super(`${code}: ${reason}`, options);
  }

  get status(): number {
    return STATUS_BY_CODE[this.code];
  }

  body(): ErrorBody {
    const { code, reason, additionalInformation } = this;
    return { err: { code, reason, ...(additionalInformation !== undefined && { additionalInformation }) } };
  }
}

/** Converts an error to an error response; undefined for an internal error, which is logged and not sent. */
export function toBusError(error: unknown): BusError | undefined {
  if (error instanceof BusError) return error;
  if (error instanceof InvalidRequestError) {
    return new BusError('BUS::INVALID_REQUEST', `${error.message}.`, { problems: error.faults });
  }
  if (error instanceof EngineUnavailableError) {
    return new BusError(
      'BUS::UNHEALTHY',
      'The storage engine of the broker is unavailable. Try again later.',
      { status: error.status, message: error.message },
      { cause: error },
    );
  }
  return undefined;
}
