import { createHmac, randomBytes } from 'node:crypto';
import { ConfigurationError, hashSecret, FileWatcher, type Logger, type SecretHash } from '@ssb/platform';
import type { Settings } from '../settings.js';
import { type Right, RIGHTS } from './rights.js';
import { parsePasswordHash, parseUsersFile, toUsersFileError, type ConfiguredUser } from './users-file.js';

/** A user with its password hash. Plain passwords are hashed when they are read, so that every check takes as long. */
export interface User {
  readonly name: string;
  readonly passwordHash: SecretHash;
  readonly rights: ReadonlySet<Right>;
  /** A keyed digest of the password, valid in this process. It changes only with the password. */
  readonly credential: string;
}

/** The user of BASIC_AUTH_* and the users of USERS_FILE, which is reloaded when it changes. An invalid file changes nothing. */
export class UserDirectory {
  private users: ReadonlyMap<string, User> = new Map();
  private allUsers: readonly User[] = [];
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

  /**
   * The hash to check a password against. An unknown name always gets the hash of the same user.
   * So its check takes as long as that of a known name.
   */
  getHashToCheck(name: string): SecretHash {
    const index = this.digest(`name ${name}`).readUInt32BE();
    const user = this.users.get(name) ?? this.allUsers[index % this.allUsers.length];
    if (user === undefined) throw new Error('the users are not loaded yet');
    return user.passwordHash;
  }

  /** Whether the user still exists, with the same password and this right. */
  isStillAllowed({ name, credential }: User, right: Right): boolean {
    const current = this.users.get(name);
    return current?.credential === credential && current.rights.has(right);
  }

  /** The listener is called after each successful load. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private async load(fromFile: readonly ConfiguredUser[]): Promise<void> {
    const users = new Map<string, User>();
    // One after the other, because each hash takes 16 MB.
    for (const each of mergeUsers(this.settings, fromFile)) users.set(each.name, await this.toUser(each));
    this.users = users;
    this.allUsers = [...this.users.values()];
    this.log.info({ users: this.users.size }, 'users loaded');
    for (const listener of this.listeners) listener();
  }

  /** An unchanged password keeps its hash, and so its user needs no new check. */
  private async toUser({ name, password = '', passwordHash, rights }: ConfiguredUser): Promise<User> {
    const secret = passwordHash === undefined ? `password ${password}` : `hash ${passwordHash}`;
    const credential = this.digest(secret).toString('base64');
    const current = this.users.get(name);
    if (current?.credential === credential) return { ...current, rights: new Set(rights) };
    const hash =
      passwordHash === undefined ? await hashSecret(password) : parsePasswordHash(name, passwordHash);
    return { name, credential, passwordHash: hash, rights: new Set(rights) };
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
