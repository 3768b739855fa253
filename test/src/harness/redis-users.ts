import type { RedisSettings } from '@ssb/redis';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { type ProcessName, REPOSITORY_ROOT } from '@ssb/tools';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type User = Extract<ProcessName, 'poller' | 'bus-publisher' | 'broker'> | 'busbridge';

/** Strings, as in the environment of an app. */
type UserSettings = RedisSettings & Readonly<Record<string, string>>;

export interface RedisWithUsers {
  readonly redis: TestRedis;
  readonly users: Readonly<Record<User, UserSettings>>;
}

/**
 * Starts a Redis with the access control list of docs/operators.md. Only the passwords differ, and the administrator is the user of the URL.
 * @param folder of the password files
 */
export async function startRedisWithUsers(folder: string): Promise<RedisWithUsers> {
  const page = readFileSync(join(REPOSITORY_ROOT, 'docs', 'operators.md'), 'utf8');
  const documented = [...page.matchAll(/^user (\S+) .+$/gm)].filter(([, name]) => name !== 'default');
  const fileOf = (name: string): string => join(folder, `redis-${name}.password`);
  const lines = documented.map(([line, name = '']) => {
    const password = randomBytes(16).toString('hex');
    writeFileSync(fileOf(name), password, { mode: 0o600 });
    return line.replace(/>\S+/, `>${password}`);
  });
  const redis = await startTestRedis(lines);
  const users = Object.fromEntries(
    documented.map(([, name = '']) => [
      name,
      {
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        REDIS_USERNAME: name,
        REDIS_PASSWORD_FILE: fileOf(name),
      },
    ]),
  );
  return { redis, users: users as RedisWithUsers['users'] };
}
