import type { ErrorBody } from '@ssb/bus';
import { InvalidRequestError } from '@ssb/platform';
import type { Refusal } from './refusal.js';
import { EngineUnavailableError } from '../storage/message-log.js';

/** Every error code of the broker and its HTTP status: those of document 002, and names for what it leaves open. */
const STATUS = {
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

export type BusErrorCode = keyof typeof STATUS;

/** A failure as a client of the broker sees it (document 002, Error). Nothing in it may be secret. */
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
    return STATUS[this.code];
  }

  body(): ErrorBody {
    const { code, reason, additionalInformation } = this;
    return { err: { code, reason, ...(additionalInformation !== undefined && { additionalInformation }) } };
  }
}

const CODE_OF_REFUSAL = {
  'not-enrolled': 'BUS::FORBIDDEN_RESOURCE',
  'channel-unknown': 'BUS::CHANNEL_NOT_FOUND',
  'topic-unknown': 'BUS::CHANNEL_NOT_FOUND',
  'no-right': 'BUS::CHANNEL_UNAUTHORIZED',
  'too-large': 'BUS::MESSAGE_TOO_LARGE',
  'schema-mismatch': 'BUS::SCHEMA_MISMATCH',
  'bad-signature': 'BUS::INVALID_SIGNATURE',
} as const satisfies Record<Refusal['kind'], BusErrorCode>;

/** The fields of the refusal are the additional information. */
export function refusalError(refusal: Refusal): BusError {
  const { kind, ...information } = refusal;
  return new BusError(CODE_OF_REFUSAL[kind], reasonOf(refusal), information);
}

function reasonOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'not-enrolled':
      return 'The caller is not enrolled as a bus user.';
    case 'channel-unknown':
      return `The channel ${refusal.fqcn} does not exist.`;
    case 'topic-unknown':
      return `The channel ${refusal.fqcn} has no topic ${refusal.topic}.`;
    case 'no-right':
      return `The caller may not ${refusal.right === 'publish' ? 'publish on' : 'subscribe to'} ${refusal.fqcn}.`;
    case 'too-large':
      return `The payload has ${refusal.size} bytes; the channel takes ${refusal.limit}.`;
    case 'schema-mismatch':
      return `The payload does not match the schema of topic ${refusal.topic}.`;
    case 'bad-signature':
      return 'The signature over the payload is not the one of the logged-in sender.';
  }
}

/** Anything thrown, as an error for the client; undefined for our own faults, which are logged and not shown. */
export function asBusError(error: unknown): BusError | undefined {
  if (error instanceof BusError) return error;
  if (error instanceof InvalidRequestError) {
    return new BusError('BUS::INVALID_REQUEST', `${error.message}.`, { problems: error.faults });
  }
  if (error instanceof EngineUnavailableError) {
    return new BusError(
      'BUS::UNHEALTHY',
      'The broker runs, but its storage engine does not serve at the moment.',
      { status: error.status, message: error.message },
      { cause: error },
    );
  }
  return undefined;
}
