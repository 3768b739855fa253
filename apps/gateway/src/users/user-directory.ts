import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret, WatchedFiles, type Logger, type SecretHash } from '@ssb/platform';
import { type Right, RIGHTS } from './rights.js';
import type { Settings } from '../settings.js';
import { parseUsersFile, readPasswordHash, unreadable, type ListedUser } from './users-file.js';

/** A user with the hash of its password; plain passwords are hashed when they are read, so that every check costs the same. */
export interface User {
  readonly name: string;
  readonly passwordHash: SecretHash;
  readonly rights: ReadonlySet<Right>;
  /** The same as long as the password is the same, in this process alone; reveals nothing of it. */
  readonly credential: string;
}

/**
 * Who there is: the user of BASIC_AUTH_* and those of USERS_FILE. The file is read again when it changes; one that cannot be used is
 * refused loudly, and the users from before stay.
 */
export class UserDirectory {
  private users: ReadonlyMap<string, User> = new Map();
  private everybody: readonly User[] = [];
  private readonly key = randomBytes(32);
  private readonly listeners: (() => void)[] = [];
  private file: WatchedFiles | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly log: Logger,
    /** Told of each change of the file, and whether its users are in use. */
    private readonly reloaded: (outcome: 'taken' | 'refused') => void,
  ) {}

  /** @throws Error when nobody could use the gateway, the settings contradict each other, or the file cannot be used */
  async open(): Promise<void> {
    const { USERS_FILE: path, FILES_RELOAD_INTERVAL_MS: intervalMs } = this.settings;
    if (path === undefined) return this.take();
    this.file = new WatchedFiles({
      paths: [path],
      intervalMs,
      take: ([content]) => this.take(path, content),
      changed: () => this.reloaded('taken'),
      refused: (error) => {
        this.reloaded('refused');
        this.log.error(
          { err: unreadable(path, error) },
          'the changed USERS_FILE cannot be used, the users stay as they were',
        );
      },
    });
    await this.file.start().catch((error: unknown) => {
      throw unreadable(path, error);
    });
  }

  async close(): Promise<void> {
    await this.file?.stop();
  }

  find(name: string): User | undefined {
    return this.users.get(name);
  }

  /**
   * The hash that a password given in this name is checked against. Of a name that is nobody's it is some user's, always the same, so
   * that the check takes as long as that of a name that is somebody's.
   */
  hashFor(name: string): SecretHash {
    const place = this.digest(`name ${name}`).readUInt32BE();
    const user = this.users.get(name) ?? this.everybody[place % this.everybody.length];
    if (user === undefined) throw new Error('the users are not known yet');
    return user.passwordHash;
  }

  /** Whether a user from before is still there, with the same password and this right. */
  stillMay({ name, credential }: User, right: Right): boolean {
    const now = this.users.get(name);
    return now?.credential === credential && now.rights.has(right);
  }

  /** Called after each change of the file that was taken. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  private async take(path?: string, content?: Buffer): Promise<void> {
    const listed = path === undefined ? [] : parseUsersFile(path, content?.toString('utf8') ?? '');
    const users = new Map<string, User>();
    // One after the other: each hash takes memory.
    for (const each of listUsers(this.settings, listed)) users.set(each.name, await this.hashed(each));
    this.users = users;
    this.everybody = [...this.users.values()];
    this.log.info({ users: this.users.size }, 'users known');
    for (const listener of this.listeners) listener();
  }

  /** A password that was hashed before keeps its hash, and so its user needs no new check. */
  private async hashed({ name, password = '', passwordHash, rights }: ListedUser): Promise<User> {
    const secret = passwordHash === undefined ? `password ${password}` : `hash ${passwordHash}`;
    const credential = this.digest(secret).toString('base64');
    const known = this.users.get(name);
    if (known?.credential === credential) return { ...known, rights: new Set(rights) };
    const hash =
      passwordHash === undefined ? await hashSecret(password) : readPasswordHash(name, passwordHash);
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

/** The user of BASIC_AUTH_*, who may do everything, and those of USERS_FILE. @throws Error that names the setting and what is allowed */
function listUsers(settings: UserSettings, fromFile: readonly ListedUser[]): readonly ListedUser[] {
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
