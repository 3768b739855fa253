import { createHash, randomBytes } from 'node:crypto';

/** `__Host-`: only for this host, with `Secure` and `Path=/` (RFC 6265bis §4.1.3.2). */
export const SESSION_COOKIE = '__Host-session';
/** Between the start of a sign-in and the return from the issuer. */
export const SIGN_IN_COOKIE = '__Host-sign-in';

type CookieName = typeof SESSION_COOKIE | typeof SIGN_IN_COOKIE;

/** A value for a cookie: 256 random bits. */
export const randomCookieValue = (): string => randomBytes(32).toString('base64url');

/** The value of a cookie; undefined without it, and for a value that is not one of ours. */
export function readCookie(header: string | undefined, name: CookieName): string | undefined {
  const pair = header
    ?.split(';')
    .map((text) => text.trim())
    .find((text) => text.startsWith(`${name}=`));
  const value = pair?.slice(name.length + 1) ?? '';
  return /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** @param seconds how long the browser keeps it; 0 removes it */
export function formatCookie(
  name: CookieName,
  value: string,
  sameSite: 'Strict' | 'Lax',
  seconds: number,
): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=${sameSite}`;
}

/** What the database knows of a session id. */
export const hashSessionId = (id: string): Buffer => createHash('sha256').update(id).digest();
