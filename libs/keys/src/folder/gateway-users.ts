import {
  ConfigurationError,
  ConfiguredFileError,
  formatPasswordHash,
  hashGeneratedSecret,
  parseConfiguredFile,
  parsePasswordHash,
  readConfiguredFile,
  verifySecret,
} from '@ssb/platform';
import { z } from 'zod';
import { fileExists, writeKeyFile } from '../create-keys.js';

/** GATEWAY_USERNAME of the bridge in the users files that are created. */
export const GATEWAY_USER_NAME = 'bridge';
/** The bridge posts and reads messages. It does not change the gateway's identity or enrolment. */
const RIGHTS = ['messages'];
/** Hashes of one user that a gateway takes. */
const MAX_PASSWORDS = 3;

const hash = z.string().max(1_024);

/** USERS_FILE of a gateway, as JSON. Other users stay as they are. */
const usersFile = z.strictObject({
  users: z.array(
    z.looseObject({
      name: z.string(),
      password: z.string().optional(),
      passwordHash: hash.optional(),
      passwordHashes: z.array(hash).optional(),
    }),
  ),
});
export type GatewayUsers = z.output<typeof usersFile>;
type GatewayUser = GatewayUsers['users'][number];

/** @throws ConfiguredFileError when it is not a users file, or it does not have the bridge's user */
export async function readGatewayUsers(path: string): Promise<GatewayUsers> {
  const users = await readUsers(path);
  if (findBridge(users) === undefined)
    throw new ConfiguredFileError(
      path,
      `has no user ${GATEWAY_USER_NAME}; add it, or move the file away and run "busbridge keys create".`,
    );
  return users;
}

/** Adds passwords of the bridge, whose user is created when it is missing. The newest other hashes stay, as many as a gateway takes. */
export async function addBridgePasswords(path: string, passwords: readonly string[]): Promise<void> {
  const users = (await fileExists(path)) ? await readUsers(path) : { users: [] };
  const bridge = findBridge(users);
  const known = bridge?.password === undefined ? hashesOf(bridge) : [await hashOf(bridge.password, [])];
  const kept = known.slice(Math.max(0, known.length + passwords.length - MAX_PASSWORDS));
  await writeBridge(path, users, [...kept, ...(await hashAll(passwords, []))]);
}

/** The user that enrols a gateway and reads its channels. */
export const GATEWAY_ADMIN_NAME = 'admin';
const ADMIN_RIGHTS = ['config', 'messages'];

/** Adds the administrator to an existing users file, unless it has one with this password. @returns whether the file is changed */
export async function ensureGatewayAdmin(path: string, password: string): Promise<boolean> {
  const { users } = await readUsers(path);
  const admin = users.find(({ name }) => name === GATEWAY_ADMIN_NAME);
  const known = hashesOf(admin);
  const hash = await hashOf(password, known);
  if (known.includes(hash)) return false;
  const passwordHashes = [...known.slice(1 - MAX_PASSWORDS), hash];
  const changed = { name: GATEWAY_ADMIN_NAME, rights: ADMIN_RIGHTS, passwordHashes };
  await writeUsers(path, [...users.filter((user) => user !== admin), changed]);
  return true;
}

/** Writes the users, of which the bridge has exactly these passwords. Known hashes stay, so that connections stay open. */
export async function writeGatewayUsers(
  path: string,
  users: GatewayUsers,
  passwords: readonly string[],
): Promise<GatewayUsers> {
  return writeBridge(path, users, await hashAll(passwords, hashesOf(findBridge(users))));
}

async function writeBridge(
  path: string,
  users: GatewayUsers,
  passwordHashes: readonly string[],
): Promise<GatewayUsers> {
  const bridge = findBridge(users) ?? { name: GATEWAY_USER_NAME, rights: RIGHTS };
  // A user has either of the three; JSON leaves undefined ones out.
  const changed = {
    ...bridge,
    password: undefined,
    passwordHash: undefined,
    passwordHashes: [...passwordHashes],
  };
  const others = users.users.filter((user) => user !== bridge);
  return writeUsers(path, [changed, ...others]);
}

async function writeUsers(path: string, users: GatewayUsers['users']): Promise<GatewayUsers> {
  await writeKeyFile(path, `${JSON.stringify({ users }, undefined, 2)}\n`);
  return { users };
}

async function readUsers(path: string): Promise<GatewayUsers> {
  const content = await readConfiguredFile(path);
  return parseConfiguredFile(path, () => parseUsers(content.toString('utf8')));
}

function parseUsers(text: string): GatewayUsers {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new ConfigurationError('It is not JSON.');
  }
  const result = usersFile.safeParse(value);
  if (result.success) return result.data;
  throw new ConfigurationError('It must be {"users": [{"name", "passwordHashes", "rights"}]}.');
}

function findBridge({ users }: GatewayUsers): GatewayUser | undefined {
  return users.find(({ name }) => name === GATEWAY_USER_NAME);
}

function hashesOf(user: GatewayUser | undefined): readonly string[] {
  return user?.passwordHashes ?? (user?.passwordHash === undefined ? [] : [user.passwordHash]);
}

async function hashAll(passwords: readonly string[], known: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const password of passwords) hashes.push(await hashOf(password, known));
  return hashes;
}

async function hashOf(password: string, known: readonly string[]): Promise<string> {
  for (const hash of known)
    if (await verifySecret(password, parsePasswordHash(GATEWAY_USER_NAME, hash))) return hash;
  return formatPasswordHash(hashGeneratedSecret(password));
}
