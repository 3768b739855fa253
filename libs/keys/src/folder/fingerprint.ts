import { createHash } from 'node:crypto';

/** What `generateSecret` returns: 256 bits in base64url. */
const RANDOM_SECRET = /^[A-Za-z0-9_-]{43}$/;
const DIGITS = 8;

/** Distinguishes secrets without showing them. Undefined for a secret of another form, which could be guessed by its fingerprint. */
export function fingerprintOf(secret: string): string | undefined {
  if (!RANDOM_SECRET.test(secret)) return undefined;
  return createHash('sha256')
    .update(`settlement-bus-bridge key fingerprint\0${secret}`)
    .digest('hex')
    .slice(0, DIGITS);
}
