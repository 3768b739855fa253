import type { ErrorKind } from '../error-body.js';
import { GatewayAnswerError, GatewayError, GatewayUnreachableError } from './gateway-error.js';

/**
 * Whether asking again may help. `later`: yes. `repeatable`: yes, but what was asked may have been done already, so only if doing it
 * twice is harmless. `never`: the answer would be the same.
 */
export type Retry = 'later' | 'repeatable' | 'never';

/** By the kind of the error code, whatever its prefix (document 002, "Errors"). */
const OF_KIND: Readonly<Record<ErrorKind, Retry>> = {
  INVALID_PRIVATE_KEY: 'never',
  NO_PRIVATE_KEY: 'never',
  FETCH_CLAIMS_FAILED: 'repeatable',
  CHANNEL_UNAUTHORIZED: 'never',
  LOGIN_FAILED: 'never',
  FORBIDDEN_RESOURCE: 'never',
  FORBIDDEN: 'never',
  CHANNEL_NOT_FOUND: 'never',
  REQUEST_FAILED: 'repeatable',
  UNHEALTHY: 'repeatable',
  CHECK_FAILED: 'never',
  NO_MATCH: 'never',
  MESSAGE_REJECTED: 'never',
  MESSAGE_TOO_LARGE: 'never',
  SCHEMA_MISMATCH: 'never',
  INVALID_SIGNATURE: 'never',
  INVALID_SCHEMA: 'never',
  CHANNEL_EXISTS: 'never',
  STALE_DECISION: 'never',
  TOO_MANY_REQUESTS: 'later',
  INVALID_REQUEST: 'never',
  UNAUTHENTICATED: 'never',
  NOT_FOUND: 'never',
  METHOD_NOT_ALLOWED: 'never',
  TOO_LARGE: 'never',
  UNSUPPORTED_MEDIA_TYPE: 'never',
  SUPERSEDED: 'never',
  TOO_SLOW: 'later',
  INTERNAL: 'repeatable',
};

/** What the table says of a failure of the client; `never` of anything else. */
export function retryOf(error: unknown): Retry {
  if (error instanceof GatewayUnreachableError) return 'repeatable';
  if (error instanceof GatewayAnswerError) return ofStatus(error.status);
  if (!(error instanceof GatewayError)) return 'never';
  return error.kind === undefined ? ofStatus(error.status) : OF_KIND[error.kind];
}

/** A proxy's answer, or a code that is not known: its status is all there is. */
function ofStatus(status: number): Retry {
  if (status === 429) return 'later';
  return status >= 500 ? 'repeatable' : 'never';
}
