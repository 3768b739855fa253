import { randomUUID } from 'node:crypto';
import { connectRedis } from '../redis/connect.js';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { maxInAnyWindow } from './max-in-any-window.fixture.js';
import { MemoryBudgetStore } from './memory-budget-store.js';
import { ACQUIRE, budgetKeys, RedisBudgetStore, RELEASE } from './redis-budget-store.js';
import { RequestBudget } from './request-budget.js';

let server: TestRedis;
let redis: Redis;

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'budget-spec' });
});

afterAll(async () => {
  await redis.quit();
  await server.stop();
});

/** Replaces the clock of Redis in the scripts. */
const FIXED_CLOCK = (now: number): string => `local now, ended = ${now}, ${now}\n`;

type Step =
  | { readonly kind: 'acquire'; readonly after: number; readonly holdMs: number }
  | { readonly kind: 'release'; readonly after: number; readonly which: number };
const after = fc.integer({ min: 0, max: 400 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('acquire' as const), after, holdMs: fc.integer({ min: 0, max: 2_000 }) }),
    fc.record({ kind: fc.constant('release' as const), after, which: fc.nat(40) }),
  ),
  { maxLength: 60 },
);
const someWindows = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 6 }), ms: fc.integer({ min: 1, max: 2_000 }) }),
  { maxLength: 3 },
);

describe('a budget in Redis', () => {
  it('decides exactly as the budget in memory, which never exceeds a window', async () => {
    await fc.assert(
      fc.asyncProperty(someWindows, steps, async (windows, work) => {
        const { taken, paused } = budgetKeys('{spec}', randomUUID());
        const pairs = windows.flatMap(({ requests, ms }) => [requests, ms]);
        let now = 1_780_000_000_000;
        const memory = new MemoryBudgetStore(windows, () => now);
        for (const [n, step] of work.entries()) {
          now += step.after;
          if (step.kind === 'release') {
            const id = String(step.which);
            await redis.eval(FIXED_CLOCK(now) + RELEASE, 2, taken, paused, id);
            await memory.release(id);
          } else {
            const script = FIXED_CLOCK(now) + ACQUIRE;
            const wait = await redis.eval(script, 2, taken, paused, String(n), step.holdMs, ...pairs);
            expect(wait).toBe(await memory.tryAcquire(String(n), step.holdMs));
          }
        }
        await redis.del(taken);
      }),
      { numRuns: 100 },
    );
  });

  it('is not exceeded by several replicas that all want more', async () => {
    const windows = [
      { requests: 20, ms: 150 },
      { requests: 50, ms: 750 },
    ];
    const name = randomUUID();
    const connections = Array.from({ length: 4 }, () => connectRedis(server.url, { name: 'replica' }));
    const sent: number[] = [];
    const replica = async (own: Redis): Promise<void> => {
      const budget = new RequestBudget({
        name,
        store: new RedisBudgetStore({ redis: own, prefix: '{spec}', name, windows }),
      });
      await Promise.all(
        Array.from({ length: 35 }, async () => {
          const permit = await budget.acquire();
          sent.push(Date.now());
          permit.release();
        }),
      );
    };
    try {
      await Promise.all(connections.map(replica));
      expect(sent).toHaveLength(140);
      for (const { requests, ms } of windows) expect(maxInAnyWindow(sent, ms)).toBeLessThanOrEqual(requests);
    } finally {
      await Promise.all(connections.map((each) => each.quit()));
    }
  });
});
