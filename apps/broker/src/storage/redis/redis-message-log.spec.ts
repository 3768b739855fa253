import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import { createTestChannel, createTestMessage, append } from '../../../test/support/log-samples.js';
import { LOG_OPTIONS, openRedis } from '../../../test/support/open-logs.js';
import { describeEngineFaults } from '../../../test/conformance/engine-faults.conformance.js';
import { describeMessageLog } from '../../../test/conformance/message-log.conformance.js';

describeMessageLog('Redis Streams', async () => {
  const redis = await startTestRedis();
  const [one, other] = await Promise.all([openRedis(redis.url), openRedis(redis.url)]);
  return {
    one: one.log,
    other: other.log,
    openWith: (settings) => openRedis(redis.url, settings),
    countFetchedBytes: async () =>
      Number(/total_net_output_bytes:(\d+)/.exec(await one.redis.info('stats'))?.[1]),
    close: async () => {
      await Promise.all([one.close(), other.close()]);
      await redis.stop();
    },
  };
});

describeEngineFaults('Redis Streams', async () => {
  const redis = await startTestRedis();
  const limitMemory = async (limit: (used: number) => number): Promise<void> => {
    const commands = connectRedis(redis.url, { name: 'test' });
    const used = Number(/used_memory:(\d+)/.exec(await commands.info('memory'))?.[1]);
    await commands.config('SET', 'maxmemory', limit(used));
    commands.disconnect();
  };
  return {
    open: (timeoutMs) => openRedis(redis.url, { timeoutMs }),
    server: redis,
    fill: () => limitMemory(() => 1),
    drain: () => limitMemory(() => 0),
    narrow: () => limitMemory((used) => used + 4 * 1024 * 1024),
  };
});

describe('Redis Streams', () => {
  const channel = createTestChannel();
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startTestRedis();
  });

  afterAll(() => redis.stop());

  it('lets an idle channel expire: its log an hour after its retention, its offsets after their lifetime', async () => {
    const { log, close, redis: commands, keys } = await openRedis(redis.url);
    const { offset } = await append(log, channel, createTestMessage('a'));
    await log.moveOffset(channel, { address: '0xab', clientId: 'x' }, offset);
    for (const [key, margin] of [
      [keys.log(channel), 3_600_000],
      [keys.offsets(channel), LOG_OPTIONS.offsetLifetimeMs],
    ] as const) {
      const life = await commands.pttl(key);
      expect(life).toBeGreaterThan(channel.retentionMs + margin - 100_000);
      expect(life).toBeLessThanOrEqual(channel.retentionMs + margin);
    }
    await close();
  });

  it('removes offsets of inactive readers on an active channel', async () => {
    const { log, close, redis: commands, keys } = await openRedis(redis.url, { offsetLifetimeMs: 200 });
    const used = createTestChannel(200);
    const move = async (clientId: string): Promise<void> => {
      const { offset } = await append(log, used, createTestMessage('a'));
      await log.moveOffset(used, { address: '0xab', clientId }, offset);
    };
    for (let number = 0; number < 40; number += 1) await move(String(number));
    const left = await waitFor('one offset', async () => {
      await move('active');
      const fields = await commands.hkeys(keys.offsets(used));
      return fields.length === 1 && fields;
    });
    expect(left).toEqual(['0xab|active']);
    await close();
  });
});
