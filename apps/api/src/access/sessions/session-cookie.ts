import { createHash } from 'node:crypto';

/** `__Host-`: only for this host, with `Secure` and `Path=/` (RFC 6265bis §4.1.3.2). */
export const SESSION_COOKIE = '__Host-session';
/** Between the start of a sign-in and the return from the issuer. */
export const SIGN_IN_COOKIE = '__Host-sign-in';

type CookieName = typeof SESSION_COOKIE | typeof SIGN_IN_COOKIE;

/**
 * The white space of RFC 6265bis §5.6. A host of the same site can set a name that begins with other white space, which `trim` would
 * remove.
 */
const OUTER_SPACE = /^[ \t]+|[ \t]+$/g;

/** The value of a cookie. Undefined without it, and empty, which is never valid, when the name occurs twice. */
export function readCookie(header: string | undefined, name: CookieName): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => /^([^=]*)=(.*)$/s.exec(pair) ?? [])
    .filter(([, each]) => each?.replaceAll(OUTER_SPACE, '') === name)
    .map(([, , value = '']) => value.replaceAll(OUTER_SPACE, ''));
  return values.length > 1 ? '' : values[0];
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

/** What the database knows of a session id: its SHA-256, hexadecimal. */
export const hashSessionId = (id: string): string => createHash('sha256').update(id).digest('hex');
