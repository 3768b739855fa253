import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrivateRedis } from '@ssb/dev/redis-server';
import { redisProgram } from './redis-nodes.js';
import type { TestServer } from './test-server.js';

/** A temporary Redis for one test file: real, durable, on a free port. */
export type TestRedis = TestServer;

/** @param users lines of an access control list, for further users than that of the URL */
export async function startTestRedis(users: readonly string[] = []): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'test-redis-'));
  const redis = await startPrivateRedis({ program: redisProgram(), folder, users, ownGroup: false });
  return {
    url: redis.url,
    port: redis.port,
    get pid() {
      return redis.pid;
    },
    stop: async () => {
      await redis.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    restart: async () => {
      await redis.stop();
      await redis.start();
    },
    kill: () => redis.kill(),
    start: () => redis.start(),
    pause: () => void process.kill(redis.pid, 'SIGSTOP'),
    resume: () => void process.kill(redis.pid, 'SIGCONT'),
  };
}
