import { randomBytes } from 'node:crypto';
import { generateSecret, hashGeneratedSecret, matchesSha256 } from '@ssb/platform';
import type { AccessGrant, AccessToken } from './access-schema.js';

export type NewToken = AccessGrant & { readonly expiresAt: Date };

/** `busbridge_<id>_<secret>`; the id finds the entry, the secret has 256 random bits. */
const TOKEN = /^busbridge_([0-9a-f]{12})_([\w-]{43})$/;

/** Whether a bearer token is one of ours, of any content. */
export const isOwnToken = (text: string): boolean => text.startsWith('busbridge_');

/** Creates a token. The file keeps only its hash, so `text` is shown once. */
export function createAccessToken(
  { name, role, participants, expiresAt }: NewToken,
  now: Date,
): { readonly text: string; readonly entry: AccessToken } {
  const id = randomBytes(6).toString('hex');
  const secret = generateSecret();
  const entry: AccessToken = {
    id,
    name,
    role,
    participants,
    createdAt: now.toISOString(),
    expiresAt: expiresAt.toISOString(),
    hash: hashGeneratedSecret(secret),
  };
  return { text: `busbridge_${id}_${secret}`, entry };
}

/** Compared where no entry has the id, so that the response time does not show which ids exist. */
const NO_ENTRY = hashGeneratedSecret(generateSecret());

/** The entry of a token; undefined when it is unknown or has expired. */
export function findAccessToken(
  tokens: readonly AccessToken[],
  text: string,
  now: number,
): AccessToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  if (secret === undefined) return undefined;
  const entry = tokens.find((each) => each.id === id);
  const matches = matchesSha256(secret, entry?.hash ?? NO_ENTRY);
  return matches && entry !== undefined && !isExpired(entry, now) ? entry : undefined;
}

export const isExpired = ({ expiresAt }: Pick<AccessToken, 'expiresAt'>, now: number): boolean =>
  Date.parse(expiresAt) <= now;
