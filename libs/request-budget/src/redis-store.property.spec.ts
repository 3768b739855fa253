import { connectRedis } from '@ssb/redis';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { MemoryBudgetStore } from './memory-store.js';
import { budgetKeys, RedisBudgetStore } from './redis-store.js';
import { RequestBudget } from './request-budget.js';
import { SETTLE, TAKE } from './scripts.js';
import { mostInAnyWindow } from './testing/most-in-any-window.js';
import fc from 'fast-check';

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

/** The scripts without Redis' clock: the test says what time it is. */
const GIVEN_CLOCK = (now: number): string => `local now, ended = ${now}, ${now}\n`;

type Step =
  | { readonly kind: 'take'; readonly after: number; readonly holdMs: number }
  | { readonly kind: 'settle'; readonly after: number; readonly which: number };
const after = fc.integer({ min: 0, max: 400 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('take' as const), after, holdMs: fc.integer({ min: 0, max: 2_000 }) }),
    fc.record({ kind: fc.constant('settle' as const), after, which: fc.nat(40) }),
  ),
  { maxLength: 60 },
);
const someWindows = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 6 }), ms: fc.integer({ min: 1, max: 2_000 }) }),
  { maxLength: 3 },
);

describe('the budget in Redis', () => {
  it('decides exactly as the one in memory does, of which it is proved that no window is ever over', async () => {
    await fc.assert(
      fc.asyncProperty(someWindows, steps, async (windows, work) => {
        const { taken, paused } = budgetKeys(randomUUID());
        const pairs = windows.flatMap(({ requests, ms }) => [requests, ms]);
        let now = 1_780_000_000_000;
        const memory = new MemoryBudgetStore(windows, () => now);
        for (const [n, step] of work.entries()) {
          now += step.after;
          if (step.kind === 'settle') {
            const id = String(step.which);
            await redis.eval(GIVEN_CLOCK(now) + SETTLE, 2, taken, paused, id);
            await memory.settle(id);
          } else {
            const script = GIVEN_CLOCK(now) + TAKE;
            const wait = await redis.eval(script, 2, taken, paused, String(n), step.holdMs, ...pairs);
            expect(wait).toBe(await memory.take(String(n), step.holdMs));
          }
        }
        await redis.del(taken);
      }),
      { numRuns: 100 },
    );
  });

  it('is kept by several replicas that all want more than there is', async () => {
    const windows = [
      { requests: 20, ms: 150 },
      { requests: 50, ms: 750 },
    ];
    const name = randomUUID();
    const connections = Array.from({ length: 4 }, () => connectRedis(server.url, { name: 'replica' }));
    const sent: number[] = [];
    const replica = async (own: Redis): Promise<void> => {
      const budget = new RequestBudget({ name, store: new RedisBudgetStore({ redis: own, name, windows }) });
      await Promise.all(
        Array.from({ length: 35 }, async () => {
          const permit = await budget.take();
          sent.push(Date.now());
          permit.settle();
        }),
      );
    };
    try {
      await Promise.all(connections.map(replica));
      expect(sent).toHaveLength(140);
      for (const { requests, ms } of windows) expect(mostInAnyWindow(sent, ms)).toBeLessThanOrEqual(requests);
    } finally {
      await Promise.all(connections.map((each) => each.quit()));
    }
  });
});
