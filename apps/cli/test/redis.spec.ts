import { runToEnd, startTestRedis, type TestRedis } from '@ssb/testing';

const main = new URL('../../../../bundles/cli.js', import.meta.url).pathname;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.stop());

it.each([
  [
    'a wrong password',
    'ops:hunter2@',
    '',
    /^The Redis of REDIS_URL refuses the user name or password: WRONGPASS [^.]+\. Correct REDIS_URL\.\n$/,
  ],
  [
    'a database that does not exist',
    '',
    '/99',
    /^The Redis of REDIS_URL refuses database 99 \(.+\); .+ such as \/0\.\n$/,
  ],
])('busbridge explains %s in one sentence', async (_, user, database, sentence) => {
  const REDIS_URL = `redis://${user}127.0.0.1:${redis.port}${database}`;
  const { status, stderr } = await runToEnd(main, ['records', 'list'], { REDIS_URL });
  expect(stderr).toMatch(sentence);
  expect(status).toBe(1);
});
