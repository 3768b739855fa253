import { freePort } from '@ssb/dev/free-ports';
import { startTestRedis } from '@ssb/testing';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { checkRedis, UnreachableRedisError } from './redis.js';

const options = { production: false, timeoutMs: 20_000 };
let silentServer: Server | undefined;

afterEach(() => void silentServer?.close());

describe('checkRedis', () => {
  it('returns no warning for a durable Redis, warns about one that could lose jobs, and refuses it in production', async () => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    try {
      expect(await checkRedis(redis.url, options)).toEqual([]);
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const warning = expect.stringContaining('maxmemory-policy is allkeys-lru');
      expect(await checkRedis(redis.url, options)).toEqual([warning]);
      const refused = checkRedis(redis.url, { ...options, production: true });
      await expect(refused).rejects.toThrow('refused in production');
    } finally {
      client.disconnect();
      await redis.stop();
    }
  });

  it('fails before its timeout when nothing listens, and shows no password', async () => {
    const port = await freePort();
    // Long enough for one refused connection on a busy machine.
    const failure = checkRedis(`redis://ops:hunter2@127.0.0.1:${port}`, { ...options, timeoutMs: 3_000 });
    await expect(failure).rejects.toThrow(UnreachableRedisError);
    await expect(failure).rejects.toThrow(
      `The Redis at redis://…@127.0.0.1:${port} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}.`,
    );
  });

  it('fails at its timeout when another kind of server listens', async () => {
    silentServer = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const { port } = silentServer.address() as AddressInfo;
    const failure = checkRedis(`redis://127.0.0.1:${port}`, { ...options, timeoutMs: 300 });
    await expect(failure).rejects.toThrow('no response within 0.3 s');
  });
});
