import {
  MalformedResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '../errors.js';

/** What went wrong with an operation, as far as trying again is concerned. */
export type FailureKind =
  | 'no-answer'
  | 'too-large'
  | 'too-many-requests'
  | 'server-failure'
  | 'unexpected-status'
  | 'refused'
  | 'malformed'
  | 'token-unavailable'
  | 'token-refused'
  | 'other';

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ReportingUnavailableError)
    return error.status === undefined ? kindOfSilence(error.cause) : kindOfStatus(error.status);
  if (error instanceof ReportingForbiddenError) return 'refused';
  if (error instanceof MalformedResponseError) return 'malformed';
  if (error instanceof TokenUnavailableError) return 'token-unavailable';
  if (error instanceof TokenRefusedError) return 'token-refused';
  return 'other';
}

function kindOfSilence(cause: unknown): FailureKind {
  const reason = typeof cause === 'object' && cause !== null && 'reason' in cause ? cause.reason : undefined;
  return reason === 'too-large' ? 'too-large' : 'no-answer';
}

function kindOfStatus(status: number): FailureKind {
  if (status === 429) return 'too-many-requests';
  // RFC 9110 §15.5.9: the server gave up waiting for the request; asking again is what it suggests.
  return status >= 500 || status === 408 ? 'server-failure' : 'unexpected-status';
}
