import { MemoryBudgetStore } from '@ssb/testing/in-process';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { connectRedis } from '../redis/connect.js';
import { redis, server, setUpRedis } from '../../test/redis-fixture.js';
import type { BudgetWindow } from './budget-window.js';
import { ACQUIRE, budgetKeys, RedisBudgetStore, RELEASE } from './redis-budget-store.js';
import { RequestBudget } from './request-budget.js';

setUpRedis();

/** The maximum number of moments in any period shorter than `ms`, counted from each of them. Simple, as it checks other code. */
function maxInAnyWindow(moments: readonly number[], ms: number): number {
  const counts = moments.map((from) => moments.filter((at) => from <= at && at < from + ms).length);
  return Math.max(0, ...counts);
}

/** The rule of the prudential interface (field notes). */
const REAL: readonly BudgetWindow[] = [
  { requests: 50, ms: 60_000 },
  { requests: 200, ms: 300_000 },
];
const HOLD_MS = 30_000;

interface Exchange {
  /** From permit to response, ms. */
  readonly durationMs: number;
  /** When it reaches the server, as a fraction of the duration. */
  readonly arrival: number;
  /** Its sender died, so it is never released. */
  readonly lost: boolean;
}

/** Workers that send as fast as allowed, on a simulated clock. @returns when each request reached the server */
async function simulate(
  windows: readonly BudgetWindow[],
  workers: number,
  exchanges: readonly Exchange[],
): Promise<number[]> {
  let now = 0;
  const store = new MemoryBudgetStore(windows, () => now);
  const free = Array.from({ length: workers }, () => 0);
  const ends: { id: string; at: number }[] = [];
  const arrivals: number[] = [];
  const releaseUntil = async (moment: number): Promise<void> => {
    ends.sort((a, b) => a.at - b.at);
    while (ends[0] !== undefined && ends[0].at <= moment) {
      const { id, at } = ends.shift() as { id: string; at: number };
      now = at;
      await store.release(id);
    }
    now = moment;
  };
  for (const [n, { durationMs, arrival, lost }] of exchanges.entries()) {
    const worker = free.indexOf(Math.min(...free));
    await releaseUntil(Math.max(now, free[worker] ?? 0));
    for (
      let wait = await store.tryAcquire(`${n}`, HOLD_MS);
      wait > 0;
      wait = await store.tryAcquire(`${n}`, HOLD_MS)
    )
      await releaseUntil(now + wait);
    arrivals.push(now + durationMs * arrival);
    free[worker] = now + durationMs;
    if (!lost) ends.push({ id: `${n}`, at: now + durationMs });
  }
  return arrivals;
}

const exchange = (maxMs: number, lost: fc.Arbitrary<boolean>): fc.Arbitrary<Exchange> =>
  fc.record({
    durationMs: fc.integer({ min: 0, max: maxMs }),
    arrival: fc.double({ min: 0, max: 1, noNaN: true }),
    lost,
  });
const someWindows = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 12 }), ms: fc.integer({ min: 1, max: 5_000 }) }),
  { minLength: 1, maxLength: 3 },
);

describe('a budget in memory', () => {
  it('is never exceeded in any window, however long the requests take', async () => {
    const many = fc.array(exchange(HOLD_MS, fc.boolean()), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(someWindows, fc.integer({ min: 1, max: 16 }), many, async (windows, workers, work) => {
        const arrivals = await simulate(windows, workers, work);
        for (const { requests, ms } of windows)
          expect(maxInAnyWindow(arrivals, ms)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 60 },
    );
  });

  it('is used to at least 95 % under load', async () => {
    const count = 1_200;
    const many = fc.array(exchange(2_000, fc.constant(false)), { minLength: count, maxLength: count });
    await fc.assert(
      fc.asyncProperty(many, async (work) => {
        const arrivals = await simulate(REAL, 8, work);
        // By hand: 200 requests in each five minutes. The first 200 take three minutes, so the last of 1,200 is sent after 25 + 3 minutes.
        const ideal = 5 * 300_000 + 3 * 60_000;
        expect(ideal / Math.max(...arrivals)).toBeGreaterThanOrEqual(0.95);
        for (const { requests, ms } of REAL)
          expect(maxInAnyWindow(arrivals, ms)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 1 },
    );
  });
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
const fewWindows = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 6 }), ms: fc.integer({ min: 1, max: 2_000 }) }),
  { maxLength: 3 },
);

describe('a budget in Redis', () => {
  it('decides exactly as the budget in memory, which never exceeds a window', async () => {
    await fc.assert(
      fc.asyncProperty(fewWindows, steps, async (windows, work) => {
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
      { numRuns: 30 },
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
