import { createHmac, randomBytes } from 'node:crypto';
import {
  ConfigurationError,
  FileWatcher,
  hashGeneratedSecret,
  parsePasswordHash,
  type Logger,
  type SecretHash,
} from '@ssb/platform';
import type { Settings } from '../settings.js';
import { type Right, RIGHTS } from './rights.js';
import { parseUsersFile, toUsersFileError, type ConfiguredUser } from './users-file.js';

/** A password with its hash. That of a plain password is fast and stays in this process, so its user never waits. */
export interface Password {
  readonly hash: SecretHash;
  /** A keyed digest of the password, valid in this process. It changes only with the password. */
  readonly credential: string;
}

/** A user and the passwords that are accepted: more than one while a password is rotated. */
export interface User {
  readonly name: string;
  readonly passwords: readonly Password[];
  readonly rights: ReadonlySet<Right>;
}

/** A user, and which of its passwords was verified. */
export interface AuthenticatedUser extends User {
  readonly credential: string;
}

/** The user of BASIC_AUTH_* and the users of USERS_FILE, which is reloaded when it changes. An invalid file changes nothing. */
export class UserDirectory {
  private users: ReadonlyMap<string, User> = new Map();
  private readonly key = randomBytes(32);
  private readonly listeners: (() => void)[] = [];
  private file: FileWatcher | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly log: Logger,
    /** Called for each change of the file. */
    private readonly onReload: (outcome: 'applied' | 'refused') => void,
  ) {}

  /** @throws Error when there are no users, the settings contradict each other, or the file cannot be used */
  async open(): Promise<void> {
    const { USERS_FILE: path, FILES_RELOAD_INTERVAL_MS: intervalMs } = this.settings;
    if (path === undefined) return this.load([]);
    this.file = new FileWatcher({
      paths: [path],
      intervalMs,
      apply: ([content]) => this.load(parseUsersFile(path, content ?? Buffer.alloc(0))),
      onApplied: () => this.onReload('applied'),
      onRefused: (error) => {
        this.onReload('refused');
        this.log.error({ err: toUsersFileError(path, error) }, 'users file reload failed');
      },
    });
    await this.file.start().catch((error: unknown) => {
      throw toUsersFileError(path, error);
    });
  }

  async close(): Promise<void> {
    await this.file?.stop();
  }

  find(name: string): User | undefined {
    return this.users.get(name);
  }

  /** Whether the user still exists, with the password that was verified and this right. */
  isStillAllowed({ name, credential }: AuthenticatedUser, right: Right): boolean {
    const current = this.users.get(name);
    if (current === undefined || !current.rights.has(right)) return false;
    return current.passwords.some((password) => password.credential === credential);
  }

  /** The listener is called after each successful load. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private load(fromFile: readonly ConfiguredUser[]): void {
    const users = new Map<string, User>();
    for (const each of mergeUsers(this.settings, fromFile)) users.set(each.name, this.toUser(each));
    this.users = users;
    this.log.info({ users: this.users.size }, 'users loaded');
    for (const listener of this.listeners) listener();
  }

  private toUser({ name, password, passwordHash, passwordHashes, rights }: ConfiguredUser): User {
    const hashes = passwordHashes ?? (passwordHash === undefined ? [] : [passwordHash]);
    const known = this.users.get(name)?.passwords ?? [];
    const passwords =
      password === undefined
        ? hashes.map((hash) => ({
            hash: parsePasswordHash(name, hash),
            credential: this.toCredential(`hash ${hash}`),
          }))
        : [this.toPassword(password, known)];
    return { name, passwords, rights: new Set(rights) };
  }

  /** An unchanged password keeps its hash, and so its user needs no new check. */
  private toPassword(password: string, known: readonly Password[]): Password {
    const credential = this.toCredential(`password ${password}`);
    const current = known.find((each) => each.credential === credential);
    return current ?? { credential, hash: hashGeneratedSecret(password) };
  }

  private toCredential(text: string): string {
    return this.digest(text).toString('base64');
  }

  private digest(text: string): Buffer {
    return createHmac('sha256', this.key).update(text).digest();
  }
}

type UserSettings = Pick<
  Settings,
  'BASIC_AUTH_USERNAME' | 'BASIC_AUTH_PASSWORD' | 'BASIC_AUTH_PASSWORD_HASH'
>;

/** @throws Error that names the setting and what is allowed */
function mergeUsers(settings: UserSettings, fromFile: readonly ConfiguredUser[]): readonly ConfiguredUser[] {
  const users = [...getBasicAuthUser(settings), ...fromFile];
  const names = new Set(users.map(({ name }) => name));
  if (users.length === 0)
    throw new ConfigurationError('The gateway has no users: set BASIC_AUTH_USERNAME or USERS_FILE.');
  if (names.size < users.length)
    throw new ConfigurationError('BASIC_AUTH_USERNAME is also a user of USERS_FILE. Remove one of them.');
  return users;
}

/** The user of BASIC_AUTH_*, who has every right; none when the settings are empty. */
function getBasicAuthUser(settings: UserSettings): ConfiguredUser[] {
  const { BASIC_AUTH_USERNAME: name, BASIC_AUTH_PASSWORD: password } = settings;
  const passwordHash = settings.BASIC_AUTH_PASSWORD_HASH;
  const secrets = [password, passwordHash].filter((each) => each !== undefined).length;
  if (name === undefined && secrets === 0) return [];
  if (name !== undefined && secrets === 1) return [{ name, password, passwordHash, rights: RIGHTS }];
  throw new ConfigurationError(
    'BASIC_AUTH_USERNAME requires exactly one of BASIC_AUTH_PASSWORD and BASIC_AUTH_PASSWORD_HASH.',
  );
}
