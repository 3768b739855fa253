import { freePort } from '@ssb/free-ports';
import { startTestRedis } from '@ssb/testing';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { reachRedis, UnreachableRedisError, withoutCredentials } from '../redis/reach-redis.js';

const terms = { production: false, timeoutMs: 20_000 };
let silent: Server | undefined;

afterEach(() => void silent?.close());

describe('reachRedis', () => {
  it('has nothing to say of a Redis that keeps what it is given', async () => {
    const redis = await startTestRedis();
    try {
      expect(await reachRedis(redis.url, terms)).toEqual([]);
    } finally {
      await redis.stop();
    }
  });

  it('says within its time that nothing is there, and shows no password', async () => {
    const port = await freePort();
    // Long enough for one attempt to be refused, which takes no time but the machine's.
    const failure = reachRedis(`redis://ops:hunter2@127.0.0.1:${port}`, { ...terms, timeoutMs: 3_000 });
    await expect(failure).rejects.toThrow(UnreachableRedisError);
    await expect(failure).rejects.toThrow(
      `The Redis at redis://…@127.0.0.1:${port} cannot be used: connect ECONNREFUSED 127.0.0.1:${port}.`,
    );
  });

  it('says within its time that something else is there', async () => {
    silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const failure = reachRedis(`redis://127.0.0.1:${port}`, { ...terms, timeoutMs: 300 });
    await expect(failure).rejects.toThrow('no answer within 0.3 s');
  });
});

it.each([
  ['redis://127.0.0.1:6379/2', 'redis://127.0.0.1:6379/2'],
  ['rediss://ops:p@ss@redis.example', 'rediss://…@redis.example'],
])('shows %s as %s', (url, shown) => {
  expect(withoutCredentials(url)).toBe(shown);
});
