import { startTestProxy, startTestRedis, type TestProxy, type TestRedis } from '@ssb/testing';
import { connectRedis } from './connect.js';

describe('a connection to Redis', () => {
  let redis: TestRedis;
  let line: TestProxy;

  beforeAll(async () => {
    redis = await startTestRedis();
    line = await startTestProxy(redis.port);
  });

  afterAll(async () => {
    await line.stop();
    await redis.stop();
  });

  it('is given up when the host vanished without a word, and what it was asked is answered on the next', async () => {
    const seen: string[] = [];
    const client = connectRedis(`redis://127.0.0.1:${line.port}`, {
      name: 'test',
      longestSilenceMs: 2_000,
      onError: ({ message }) => seen.push(message),
    });
    await client.set('a', '1');
    line.fallSilent();
    expect(await client.get('a')).toBe('1');
    expect(seen).toContainEqual(expect.stringContaining("didn't receive any in 2000ms"));
    client.disconnect();
  });

  it('is kept while nothing is asked', async () => {
    const client = connectRedis(`redis://127.0.0.1:${line.port}`, { name: 'quiet', longestSilenceMs: 1_500 });
    const id = await client.client('ID');
    const other = connectRedis(redis.url, { name: 'other' });
    // Longer than the longest silence, measured by the server.
    await other.blpop('nothing', 2);
    expect(await client.client('ID')).toBe(id);
    client.disconnect();
    other.disconnect();
  });
});
