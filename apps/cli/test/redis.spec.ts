import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { runCommand } from './support/run-command.js';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
  const admin = connectRedis(redis.url, { name: 'admin' });
  await admin.call('ACL', 'SETUSER', 'reader', 'on', '>reader-password', '+@connection', '+info', '+select');
  admin.disconnect();
});
afterAll(() => redis.stop());

const urlOf = (user: string): string => `redis://${user}@127.0.0.1:${redis.port}`;

it.each([
  [
    'a missing right',
    () => ({ REDIS_URL: urlOf('reader:reader-password') }),
    /^The Redis of REDIS_URL does not permit what the app does \(NOPERM [^\n]+\); [^\n]+\.\n$/,
  ],
  [
    'a wrong password',
    () => ({ REDIS_URL: urlOf('reader:hunter2') }),
    /^The Redis of REDIS_URL refuses the user name or password: WRONGPASS [^.]+; correct REDIS_URL, or [^.]+\.\n$/,
  ],
  [
    'a database that does not exist',
    () => ({ REDIS_URL: `${redis.url}/99` }),
    /^The Redis of REDIS_URL refuses database 99 \(.+\); .+ such as \/0\.\n$/,
  ],
  [
    'a database that is not a number',
    () => ({ REDIS_URL: `${redis.url}/text` }),
    /^REDIS_URL is a value that is not shown here, but it takes .+ the number of a database\./,
  ],
  [
    'a password file that does not exist',
    () => ({ REDIS_URL: `redis://127.0.0.1:${redis.port}`, REDIS_PASSWORD_FILE: '/nowhere/password' }),
    /^REDIS_PASSWORD_FILE: \/nowhere\/password does not exist\.\n$/,
  ],
])('busbridge explains %s in one sentence', async (_, settings, sentence) => {
  const { status, stdout, stderr } = await runCommand(['records', 'list'], settings());
  expect(stderr).toMatch(sentence);
  expect(stdout + stderr).not.toContain('hunter2');
  expect(status).toBe(78);
});
