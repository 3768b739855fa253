import { randomBytes } from 'node:crypto';
import { generateSecret, hashGeneratedSecret, secretHashSchema, verifySecret } from '@ssb/platform';
import { z } from 'zod';

/** What a caller of the archive API may do. An operator may also add requests. */
export const ACCESS_ROLES = ['viewer', 'operator'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];

const grantShape = {
  /** The author of its requests in the audit log. */
  name: z.string().min(1).max(200),
  role: z.enum(ACCESS_ROLES),
  /** Codes of the participants that it may see; `all` also shows what belongs to none. */
  participants: z.union([z.literal('all'), z.array(z.string().min(1).max(200)).min(1)]),
};

const tokenSchema = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  ...grantShape,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  hash: secretHashSchema,
});
export type AccessToken = z.output<typeof tokenSchema>;

/** API_ACCESS_FILE: who may use the archive API. */
export const accessFileSchema = z.strictObject({ tokens: z.array(tokenSchema).default([]) });
export type AccessFileContent = z.output<typeof accessFileSchema>;

export type NewToken = Pick<AccessToken, 'name' | 'role' | 'participants'> & { readonly expiresAt: Date };

/** `busbridge_<id>_<secret>`; the id finds the entry, the secret has 256 random bits. */
const TOKEN = /^busbridge_([0-9a-f]{12})_([\w-]{43})$/;

/** Creates a token. The file keeps only its hash, so `text` is shown once. */
export function createAccessToken(
  { name, role, participants, expiresAt }: NewToken,
  now: Date,
): { readonly text: string; readonly entry: AccessToken } {
  const id = randomBytes(6).toString('hex');
  const secret = generateSecret();
  const entry = {
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

/** The entry of a token; undefined when it is unknown or has expired. */
export async function findAccessToken(
  tokens: readonly AccessToken[],
  text: string,
  now: number,
): Promise<AccessToken | undefined> {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  const entry = tokens.find((each) => each.id === id);
  if (entry === undefined || secret === undefined || !(await verifySecret(secret, entry.hash)))
    return undefined;
  return Date.parse(entry.expiresAt) > now ? entry : undefined;
}
