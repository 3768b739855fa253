import { randomUUID } from 'node:crypto';
import { link as linkFile, readFile, rename, rm } from 'node:fs/promises';
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

/**
 * Begins the lifetime of an unused link again.
 * @returns false for a link that was used, which stays used, and for one that another link has replaced
 */
export async function renewSignInLink(path: string, token: string, now: Date): Promise<boolean> {
  const claimed = await claim(path, (link) => matchesSha256(token, link.hash));
  return claimed !== undefined && putBack(path, { ...claimed, expiresAt: endOf(now) });
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
  // Another link may have replaced it in between.
  const claimed = await claim(path, ({ hash }) => hash.hash === link.hash.hash);
  if (claimed === undefined) return undefined;
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

/**
 * Removes the link from its path in one step, so that one of several callers gets it.
 * @param isExpected another link is put back
 */
async function claim(
  path: string,
  isExpected: (link: SignInLink) => boolean,
): Promise<SignInLink | undefined> {
  const claimed = `${path}.${randomUUID()}.used`;
  try {
    await rename(path, claimed);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  try {
    const link = await read(claimed);
    if (link === undefined || isExpected(link)) return link;
    await linkUnlessPresent(claimed, path);
    return undefined;
  } finally {
    await rm(claimed, { force: true });
  }
}

/** @returns false when another link has taken the path meanwhile */
async function putBack(path: string, link: SignInLink): Promise<boolean> {
  const draft = `${path}.${randomUUID()}.renewed`;
  try {
    await write(draft, link);
    return await linkUnlessPresent(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Unlike `rename`, it replaces nothing. */
async function linkUnlessPresent(file: string, path: string): Promise<boolean> {
  try {
    await linkFile(file, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Undefined without a file, and for a file that is not a link. */
async function read(path: string): Promise<SignInLink | undefined> {
  try {
    return linkSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
