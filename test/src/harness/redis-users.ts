import type { RedisSettings } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { type ProcessName, REPOSITORY_ROOT } from '@ssb/tools';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type User = Extract<ProcessName, 'poller' | 'bus-publisher' | 'broker'> | 'busbridge';

/** Strings, as in the environment of an app. */
type UserSettings = RedisSettings & Readonly<Record<string, string>>;

/** User name and password file of each user. */
type Users = Readonly<
  Record<User, { readonly REDIS_USERNAME: string; readonly REDIS_PASSWORD_FILE: string }>
>;

export interface RedisWithUsers {
  readonly redis: TestRedis;
  readonly users: Readonly<Record<User, UserSettings>>;
}

/**
 * The access control list of docs/operate/databases.md. Only the passwords differ, and the administrator is the user of the URL.
 * @param folder of the password files
 */
export function documentedUsers(folder: string): { readonly lines: string[]; readonly users: Users } {
  const page = readFileSync(join(REPOSITORY_ROOT, 'docs', 'operate', 'databases.md'), 'utf8');
  const documented = [...page.matchAll(/^user (\S+) .+$/gm)].filter(([, name]) => name !== 'default');
  const fileOf = (name: string): string => join(folder, `redis-${name}.password`);
  const lines = documented.map(([line, name = '']) => {
    const password = randomBytes(16).toString('hex');
    writeFileSync(fileOf(name), password, { mode: 0o600 });
    return line.replace(/>\S+/, `>${password}`);
  });
  const users = Object.fromEntries(
    documented.map(([, name = '']) => [name, { REDIS_USERNAME: name, REDIS_PASSWORD_FILE: fileOf(name) }]),
  );
  return { lines, users: users as Users };
}

/** Starts a Redis with the users of docs/operate/databases.md. @param folder of the password files */
export async function startRedisWithUsers(folder: string): Promise<RedisWithUsers> {
  const { lines, users } = documentedUsers(folder);
  const redis = await startTestRedis(lines);
  const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
  const settings = Object.entries(users).map(([name, user]) => [name, { REDIS_URL, ...user }]);
  return { redis, users: Object.fromEntries(settings) as RedisWithUsers['users'] };
}
