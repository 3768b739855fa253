import { startTestProxy, startTestRedis, withPort, type TestProxy, type TestRedis } from '@ssb/testing';
import { connectRedis } from './connect.js';

describe('a connection to Redis', () => {
  let redis: TestRedis;
  let proxy: TestProxy;

  beforeAll(async () => {
    redis = await startTestRedis();
    proxy = await startTestProxy(redis.port);
  });

  afterAll(async () => {
    await proxy.stop();
    await redis.stop();
  });

  it('is replaced when the host vanishes, and the pending command is repeated on the new one', async () => {
    const errors: string[] = [];
    const client = connectRedis(withPort(redis.url, proxy.port), {
      name: 'test',
      socketTimeoutMs: 2_000,
      onError: ({ message }) => errors.push(message),
    });
    await client.set('a', '1');
    proxy.dropTraffic();
    expect(await client.get('a')).toBe('1');
    expect(errors).toContainEqual(expect.stringContaining("didn't receive any in 2000ms"));
    client.disconnect();
  });

  it('stays open while no command is sent', async () => {
    const client = connectRedis(withPort(redis.url, proxy.port), { name: 'idle', socketTimeoutMs: 1_500 });
    const id = await client.client('ID');
    const other = connectRedis(redis.url, { name: 'other' });
    // Longer than the socket time-out, by the server's clock.
    await other.blpop('nothing', 2);
    expect(await client.client('ID')).toBe(id);
    client.disconnect();
    other.disconnect();
  });
});
