import { hashSecret } from '@ssb/platform';
import { RIGHTS } from '../domain/rights.js';
import type { Settings } from '../settings.js';
import { readPasswordHash, PasswordHashError } from './password-hash.js';
import { readUsersFile, type ListedUser } from './users-file.js';
import type { User } from './user.js';

type UserSettings = Pick<
  Settings,
  'BASIC_AUTH_USERNAME' | 'BASIC_AUTH_PASSWORD' | 'BASIC_AUTH_PASSWORD_HASH' | 'USERS_FILE'
>;

/** The user of BASIC_AUTH_*, who may do everything, and those of USERS_FILE. @throws Error that names the setting and what is allowed */
export async function listUsers(settings: UserSettings): Promise<User[]> {
  const listed = [
    ...basicUser(settings),
    ...(settings.USERS_FILE ? await readUsersFile(settings.USERS_FILE) : []),
  ];
  const names = new Set(listed.map(({ name }) => name));
  if (listed.length === 0)
    throw new Error('Nobody could use the gateway: set BASIC_AUTH_USERNAME or USERS_FILE.');
  if (names.size < listed.length) throw new Error('BASIC_AUTH_USERNAME is a user of USERS_FILE as well.');
  // One after the other: each hash takes memory.
  const users: User[] = [];
  for (const user of listed) users.push(await hashed(user));
  return users;
}

function basicUser(settings: UserSettings): ListedUser[] {
  const { BASIC_AUTH_USERNAME: name, BASIC_AUTH_PASSWORD: password } = settings;
  const passwordHash = settings.BASIC_AUTH_PASSWORD_HASH;
  const secrets = [password, passwordHash].filter((each) => each !== undefined).length;
  if (name === undefined && secrets === 0) return [];
  if (name !== undefined && secrets === 1) return [{ name, password, passwordHash, rights: RIGHTS }];
  throw new Error(
    'BASIC_AUTH_USERNAME goes together with one of BASIC_AUTH_PASSWORD and BASIC_AUTH_PASSWORD_HASH.',
  );
}

async function hashed({ name, password, passwordHash, rights }: ListedUser): Promise<User> {
  return { name, rights: new Set(rights), passwordHash: await hashOf(name, password, passwordHash) };
}

async function hashOf(name: string, password = '', passwordHash?: string): Promise<User['passwordHash']> {
  if (passwordHash === undefined) return hashSecret(password);
  try {
    return readPasswordHash(passwordHash);
  } catch (error) {
    if (!(error instanceof PasswordHashError)) throw error;
    throw new Error(`The password hash of the user ${name} is refused: ${error.message}.`, { cause: error });
  }
}
