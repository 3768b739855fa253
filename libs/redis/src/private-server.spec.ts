import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { startTestRedis, type TestRedis } from './test-server.js';

const KILLS = 3;

describe('the server we start', () => {
  let server: TestRedis;
  let redis: Redis;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectRedis(server.url, { name: 'test' });
  });

  afterAll(async () => {
    await redis.quit();
    await server.stop();
  });

  /** Resolves when the server's clock has come to its next second: one that wrote every second would be at its fsync with the next write. */
  const turnOfSecond = async (): Promise<void> => {
    const [begun] = await redis.time();
    let [now] = await redis.time();
    while (String(now) === String(begun)) [now] = await redis.time();
  };

  it('keeps through a kill at any moment what it has confirmed', async () => {
    const sent = Array.from({ length: KILLS }, (_, kill) => [`${kill} first`, `${kill} just after`]);
    for (const [first = '', justAfter = ''] of sent) {
      await turnOfSecond();
      await redis.rpush('list', first);
      await redis.rpush('list', justAfter);
      await server.kill();
      await server.start();
    }
    expect(await redis.lrange('list', 0, -1)).toEqual(sent.flat());
  });
});
