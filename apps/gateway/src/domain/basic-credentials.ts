import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether an `Authorization` header carries the expected user name and password (RFC 7617). Compares hashes in constant time, so
 * that neither content nor length of the right answer can be measured.
 */
export function hasBasicCredentials(header: string | undefined, username: string, password: string): boolean {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1] ?? '';
  const given = Buffer.from(encoded, 'base64');
  return timingSafeEqual(digest(given), digest(Buffer.from(`${username}:${password}`, 'utf8')));
}

function digest(text: Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}
