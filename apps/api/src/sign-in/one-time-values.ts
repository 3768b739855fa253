import { createHmac, timingSafeEqual } from 'node:crypto';

/** What one sign-in at the issuer needs. Each value has 256 bits, and none shows another. */
export interface OneTimeValues {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636 §4.1). */
  readonly codeVerifier: string;
}

/** Derives the values from the random cookie of the browser, so that the API stores nothing for a sign-in that has not ended. */
export function deriveOneTimeValues(cookie: string): OneTimeValues {
  const derive = (label: string): string => createHmac('sha256', cookie).update(label).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code_verifier') };
}

/** Compares in constant time. */
export function isSameValue(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
