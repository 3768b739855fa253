import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@ssb/platform';
import { connectRedis, startTestRedis, type TestRedis } from '@ssb/redis';
import type { Fqcn } from '../domain/names.js';
import { EngineUnavailableError } from '../ports/message-log.js';
import { describeMessageLog } from '../ports/message-log.conformance.js';
import { until } from '../testing/until.js';
import { Connections } from './connections.js';
import { Keys } from './keys.js';
import { Notices } from './notices.js';
import { RedisEngine } from './redis-engine.js';
import { RedisMessageLog } from './redis-message-log.js';

const DUPLICATE_WINDOW_MS = 300;
const POSITION_LIFE_MS = 7_200_000;
const quiet = createLogger({ name: 'test', level: 'silent', format: 'json' });

async function openLog(url: string, patienceMs = 3_000) {
  const connections = new Connections(
    connectRedis(url, { name: 'test' }),
    connectRedis(url, { name: 'test-wake-ups', blocking: true }),
  );
  const keys = new Keys('test:');
  const notices = new Notices(connections.wakeUps, keys, quiet);
  await notices.start();
  const log = new RedisMessageLog(new RedisEngine(connections.commands, patienceMs), notices, keys, {
    duplicateWindowMs: DUPLICATE_WINDOW_MS,
    positionLifeMs: POSITION_LIFE_MS,
    now: () => new Date(),
  });
  const close = (): void => {
    notices.stop();
    connections.close();
  };
  return { log, close, redis: connections.commands, keys };
}

describeMessageLog(
  'Redis Streams',
  async () => {
    const redis = await startTestRedis();
    const [one, other] = await Promise.all([openLog(redis.url), openLog(redis.url)]);
    return {
      one: one.log,
      other: other.log,
      close: async () => {
        one.close();
        other.close();
        await redis.stop();
      },
    };
  },
  { duplicateWindowMs: DUPLICATE_WINDOW_MS },
);

describe('Redis Streams in trouble', () => {
  const channel = { fqcn: 'a.channels.b.apps.c.iam.d' as Fqcn, retentionMs: 3_600_000 };
  const message = { topic: 'default', payload: 'a', signature: '0x01', sender: 'did:ethr:0xab' };
  const page = { limit: 1_000, bytes: 1_000_000 };
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await startTestRedis();
  });

  afterAll(() => redis.stop());

  it('keeps through a kill of Redis what it has confirmed, and wakes its watchers when Redis is back', async () => {
    const { log, close } = await openLog(redis.url);
    const wakes: (string | undefined)[] = [];
    log.watch((fqcn) => wakes.push(fqcn));
    for (let index = 0; index < 200; index += 1)
      await log.append(channel, { ...message, payload: String(index) });
    wakes.length = 0;
    await redis.kill();
    await redis.start();
    await until(
      () => wakes,
      (all) => all.includes(undefined),
    );
    const { entries } = await log.readAfter(channel, undefined, page);
    expect(entries.map(({ payload }) => payload)).toEqual(
      Array.from({ length: 200 }, (_, index) => String(index)),
    );
    close();
  });

  it('waits through a short outage, and refuses within its patience when it takes longer', async () => {
    const { log, close } = await openLog(redis.url, 4_000);
    const impatient = await openLog(redis.url, 100);
    await redis.kill();
    const [refused] = await Promise.allSettled([impatient.log.append(channel, message)]);
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(EngineUnavailableError) });
    const waiting = log.append(channel, message);
    await redis.start();
    await expect(waiting).resolves.toMatchObject({ repeated: false });
    await until(
      () =>
        impatient.log.append(channel, message).then(
          () => true,
          () => false,
        ),
      (served) => served,
    );
    impatient.close();
    close();
  });

  it('lets an idle channel go by itself: its log expires an hour after its retention, its positions after their life', async () => {
    const { log, close, redis: commands, keys } = await openLog(redis.url);
    const { position } = await log.append(channel, message);
    await log.movePosition(channel, { address: '0xab', clientId: 'x' }, position);
    for (const [key, margin] of [
      [keys.log(channel.fqcn), 3_600_000],
      [keys.positions(channel.fqcn), POSITION_LIFE_MS],
    ] as const) {
      const life = await commands.pttl(key);
      expect(life).toBeGreaterThan(channel.retentionMs + margin - 100_000);
      expect(life).toBeLessThanOrEqual(channel.retentionMs + margin);
    }
    close();
  });
});
