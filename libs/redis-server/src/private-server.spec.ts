import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedisProgram, startPrivateRedis, type PrivateRedis } from './private-server.js';

const KILLS = 3;

describe('a private Redis', () => {
  let folder: string;
  let server: PrivateRedis;
  let redis: Redis;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'private-redis-'));
    const program = findRedisProgram(process.env['PATH'] ?? '') ?? 'redis-server';
    server = await startPrivateRedis({ program, folder, ownGroup: false });
    redis = new Redis(server.url, { retryStrategy: () => 20 });
    // Each kill breaks the connection; the client reconnects.
    redis.on('error', () => undefined);
  });

  afterAll(async () => {
    await redis.quit();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  /** Waits for the next second of the server's clock, when a server with `everysec` would write. */
  const nextSecond = async (): Promise<void> => {
    const [start] = await redis.time();
    let [now] = await redis.time();
    while (String(now) === String(start)) [now] = await redis.time();
  };

  it('keeps acknowledged writes through a kill at any moment', async () => {
    const sent = Array.from({ length: KILLS }, (_, kill) => [`${kill} first`, `${kill} just after`]);
    for (const [first = '', justAfter = ''] of sent) {
      await nextSecond();
      await redis.rpush('list', first);
      await redis.rpush('list', justAfter);
      await server.kill();
      await server.start();
    }
    expect(await redis.lrange('list', 0, -1)).toEqual(sent.flat());
  });
});
