import { NoResponseError, TimeoutError } from '@ssb/net';
import { DatabaseUnavailableError } from '@ssb/postgres';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { TooManyRequestsError } from '../access/caller-limits.js';
import { TooManySessionsError } from '../access/sessions/insert-session.js';
import type { SignInFailure } from './sign-in-failure.js';

/** A sign-in has failed. */
export class SignInError extends Error {
  override readonly name = 'SignInError';

  /** @param detail for the log */
  constructor(
    readonly reason: SignInFailure,
    detail: string,
    cause?: unknown,
  ) {
    super(detail, { cause });
  }
}

/** Maps any error of a sign-in with OpenID Connect. */
export function toSignInError(error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  const failed = (reason: SignInFailure, detail: string): SignInError =>
    new SignInError(reason, detail, error);
  if (error instanceof TooManySessionsError || error instanceof TooManyRequestsError)
    return failed('too-many', error.message);
  if (error instanceof AuthorizationResponseError) return failed(...readAuthorizationError(error.error));
  if (error instanceof ResponseBodyError)
    return failed(
      error.status >= 500 ? 'unavailable' : 'refused',
      `the token endpoint responds ${error.status} ${error.error}`,
    );
  if (error instanceof ClientError && !isUnanswered(error.cause)) return failed('refused', describe(error));
  return failed('unavailable', describe(error));
}

/** Of RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6. */
const AUTHORIZATION_ERRORS: Readonly<Record<string, SignInFailure>> = {
  invalid_request: 'refused',
  unauthorized_client: 'refused',
  access_denied: 'denied',
  unsupported_response_type: 'refused',
  invalid_scope: 'refused',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
  interaction_required: 'refused',
  login_required: 'refused',
  account_selection_required: 'refused',
  consent_required: 'refused',
  invalid_request_uri: 'refused',
  invalid_request_object: 'refused',
  request_not_supported: 'refused',
  request_uri_not_supported: 'refused',
  registration_not_supported: 'refused',
};

/** The browser sends the error, so another text is not logged. */
function readAuthorizationError(error: string): [SignInFailure, string] {
  const reason = Object.hasOwn(AUTHORIZATION_ERRORS, error) ? AUTHORIZATION_ERRORS[error] : undefined;
  return [reason ?? 'refused', `the issuer reports ${reason === undefined ? 'an unknown error' : error}`];
}

/** Whether the issuer has sent no response, or one of a server that fails. */
const isUnanswered = (cause: unknown): boolean =>
  UNANSWERED.some((type) => cause instanceof type) || (cause instanceof Response && cause.status >= 500);

const UNANSWERED = [NoResponseError, TimeoutError, DatabaseUnavailableError, DOMException];

function describe(error: unknown): string {
  if (!(error instanceof ClientError)) return error instanceof Error ? error.message : String(error);
  const { cause, message } = error;
  if (cause instanceof Response) return `the issuer responds ${cause.status}`;
  return isUnanswered(cause) && cause instanceof Error ? cause.message : message;
}
