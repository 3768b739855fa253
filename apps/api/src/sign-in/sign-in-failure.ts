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
  /** Too many people are signed in, or sign in at once. */
  'too-many',
] as const;
export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];
