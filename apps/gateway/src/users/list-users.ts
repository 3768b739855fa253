import { RIGHTS } from '../domain/rights.js';
import type { Settings } from '../settings.js';
import type { ListedUser } from './users-file.js';

type UserSettings = Pick<
  Settings,
  'BASIC_AUTH_USERNAME' | 'BASIC_AUTH_PASSWORD' | 'BASIC_AUTH_PASSWORD_HASH'
>;

/** The user of BASIC_AUTH_*, who may do everything, and those of USERS_FILE. @throws Error that names the setting and what is allowed */
export function listUsers(settings: UserSettings, fromFile: readonly ListedUser[]): readonly ListedUser[] {
  const listed = [...basicUser(settings), ...fromFile];
  const names = new Set(listed.map(({ name }) => name));
  if (listed.length === 0)
    throw new Error('Nobody could use the gateway: set BASIC_AUTH_USERNAME or USERS_FILE.');
  if (names.size < listed.length) throw new Error('BASIC_AUTH_USERNAME is a user of USERS_FILE as well.');
  return listed;
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
