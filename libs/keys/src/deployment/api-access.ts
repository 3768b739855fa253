import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FILE_MODE } from '@ssb/platform';
import { stringify } from 'yaml';
import { createAccessToken } from '../api-access/access-token.js';

/** API_ACCESS_FILE in the folder of the keys. */
export const API_ACCESS_FILE = 'api-access.yaml';
/** The first token of that file, for an operator of all participants. */
export const API_TOKEN_FILE = 'api.token';
/** SIGN_IN_LINK_FILE of npm start. */
export const SIGN_IN_LINK_FILE = 'sign-in-link.json';

/**
 * Creates API_ACCESS_FILE with a first token, and the file with the token. An existing one stays as it is.
 * @returns the names of the created files
 */
export function ensureApiAccess(
  folder: string,
  { name, lifetimeMs }: { readonly name: string; readonly lifetimeMs: number },
): string[] {
  if (existsSync(join(folder, API_ACCESS_FILE))) return [];
  const now = new Date();
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const { text, entry } = createAccessToken({ name, role: 'operator', participants: 'all', expiresAt }, now);
  const options = { mode: PRIVATE_FILE_MODE };
  writeFileSync(join(folder, API_TOKEN_FILE), text, options);
  writeFileSync(join(folder, API_ACCESS_FILE), stringify({ tokens: [entry] }), options);
  return [API_TOKEN_FILE, API_ACCESS_FILE];
}
