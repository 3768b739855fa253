import { connectRedis } from '@ssb/redis-queue';
import { runToEnd, startTestRedis, type TestRedis } from '@ssb/testing';

const main = new URL('../../../../bundles/cli.js', import.meta.url).pathname;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

const withPassword = (password: string): string => redis.url.replace(/:[^:]*@/, `:${password}@`);

it('busbridge explains a missing right in one sentence', async () => {
  const admin = connectRedis(redis.url, { name: 'admin' });
  await admin.call('ACL', 'SETUSER', 'reader', 'on', '>reader-password', '+@connection', '+info', '+select');
  admin.disconnect();
  const url = `redis://reader:reader-password@127.0.0.1:${redis.port}`;
  const { status, stderr } = await runToEnd(main, ['records', 'list'], { REDIS_URL: url });
  expect(stderr).toMatch(
    /^The Redis of REDIS_URL does not permit what the app does \(NOPERM [^\n]+\); [^\n]+\.\n$/,
  );
  expect(status).toBe(1);
});

it.each([
  [
    'a wrong password',
    () => ({ REDIS_URL: withPassword('hunter2') }),
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
  const { status, stdout, stderr } = await runToEnd(main, ['records', 'list'], settings());
  expect(stderr).toMatch(sentence);
  expect(stdout + stderr).not.toContain('hunter2');
  expect(status).toBe(1);
});
