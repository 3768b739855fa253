import { NoResponseError, TimeoutError } from '@ssb/net';
import { DatabaseUnavailableError } from '@ssb/postgres';
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { TooManySessionsError } from '../access/sessions/sessions.js';

/** Why a sign-in fails. The console has a sentence for each. */
export const SIGN_IN_FAILURES = [
  /** The person, or the issuer for it, has refused. */
  'denied',
  /** It was not started in this browser within ten minutes. */
  'expired',
  /** The claims, or the token, grant nothing. */
  'no-access',
  /** The issuer does not accept the code, or its response is not valid. */
  'refused',
  /** The issuer or the database does not respond. */
  'unavailable',
  /** Too many people are signed in. */
  'too-many',
] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];

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
  if (error instanceof TooManySessionsError) return failed('too-many', error.message);
  if (error instanceof AuthorizationResponseError)
    return failed(
      error.error === 'access_denied' ? 'denied' : 'refused',
      `the issuer reports ${error.error}`,
    );
  if (error instanceof ResponseBodyError)
    return failed(
      error.status >= 500 ? 'unavailable' : 'refused',
      `the token endpoint responds ${error.status} ${error.error}`,
    );
  if (error instanceof ClientError && !isUnanswered(error.cause)) return failed('refused', error.message);
  return failed('unavailable', describe(error));
}

/** Whether the issuer has sent no response, or one of a server that fails. */
const isUnanswered = (cause: unknown): boolean =>
  UNANSWERED.some((type) => cause instanceof type) || (cause instanceof Response && cause.status >= 500);

const UNANSWERED = [NoResponseError, TimeoutError, DatabaseUnavailableError, DOMException];

const describe = (error: unknown): string => {
  const cause = error instanceof ClientError ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};
