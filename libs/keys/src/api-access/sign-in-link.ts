import { randomUUID } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import {
  findOpenPath,
  generatedSecretHashSchema,
  generateSecret,
  hashGeneratedSecret,
  matchesSha256,
  writeFileAtomically,
} from '@ssb/platform';
import { z } from 'zod';
import { accessGrantSchema, isAccessName, type AccessGrant } from './access-schema.js';

/** How long a link can be used, milliseconds. */
export const SIGN_IN_LINK_LIFETIME_MS = 10 * 60_000;

/** SIGN_IN_LINK_FILE. The token itself is only in the address that a person opens. */
const linkSchema = accessGrantSchema.extend({
  hash: generatedSecretHashSchema,
  expiresAt: z.iso.datetime(),
});
type SignInLink = z.output<typeof linkSchema>;

/**
 * Writes a link that signs a person in once. It replaces an earlier link of the file.
 * @returns the token, which is shown once
 */
export async function createSignInLink(path: string, grant: AccessGrant, now: Date): Promise<string> {
  const { name, role, participants } = grant;
  const token = generateSecret();
  await write(path, { name, role, participants, hash: hashGeneratedSecret(token), expiresAt: endOf(now) });
  return token;
}

/** Begins the lifetime of an unused link again. @returns false for a link that was used, which stays used */
export async function renewSignInLink(path: string, now: Date): Promise<boolean> {
  const link = await claim(path);
  if (link !== undefined) await write(path, { ...link, expiresAt: endOf(now) });
  return link !== undefined;
}

/** Uses the link up. Undefined for another token and for a link that has ended; the link can then still be used. */
export async function takeSignInLink(
  path: string,
  token: string,
  now: Date,
): Promise<AccessGrant | undefined> {
  const link = await read(path);
  if (link === undefined || findOpenPath(path) !== undefined) return undefined;
  if (!matchesSha256(token, link.hash) || Date.parse(link.expiresAt) <= now.getTime()) return undefined;
  const claimed = await claim(path);
  // Another link may have replaced it in between.
  if (claimed?.hash.hash !== link.hash.hash) return undefined;
  const { name, role, participants } = claimed;
  return { name, role, participants };
}

/** The user of the operating system, as an operator of all participants. */
export function localOperator(): AccessGrant {
  return { name: findUserName(), role: 'operator', participants: 'all' };
}

/** What the person opens. Browsers send no fragment to a server, so no log has the token. */
export const signInAddress = (consoleUrl: string, token: string): string => `${consoleUrl}/#sign-in=${token}`;

/** A user id of a container may have no name. */
function findUserName(): string {
  try {
    const { username } = userInfo();
    return isAccessName(username) ? username : 'operator';
  } catch {
    return 'operator';
  }
}

const endOf = (now: Date): string => new Date(now.getTime() + SIGN_IN_LINK_LIFETIME_MS).toISOString();

const write = (path: string, link: SignInLink): Promise<void> =>
  writeFileAtomically(path, JSON.stringify(link));

/** Removes the link from its path in one step, so that one of several callers gets it. */
async function claim(path: string): Promise<SignInLink | undefined> {
  const claimed = `${path}.${randomUUID()}.used`;
  try {
    await rename(path, claimed);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    return await read(claimed);
  } finally {
    await rm(claimed, { force: true });
  }
}

/** Undefined without a file, and for a file that is not a link. */
async function read(path: string): Promise<SignInLink | undefined> {
  try {
    return linkSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
