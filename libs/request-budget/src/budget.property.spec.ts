import fc from 'fast-check';
import type { BudgetWindow } from './domain/windows.js';
import { MemoryBudgetStore } from './memory-store.js';
import { mostInAnyWindow } from './testing/most-in-any-window.js';

/** The rule of the prudential interface (field notes). */
const REAL: readonly BudgetWindow[] = [
  { requests: 50, ms: 60_000 },
  { requests: 200, ms: 300_000 },
];
const HOLD_MS = 30_000;

interface Exchange {
  /** From permit to answer, ms. */
  readonly lasts: number;
  /** When on this way it reaches the server: 0 at once, 1 with the answer. */
  readonly reaches: number;
  /** The one who sent it died: nobody settles it. */
  readonly lost: boolean;
}

/** Workers that always want to ask, on a clock of their own. @returns when each request reached the server */
async function play(
  windows: readonly BudgetWindow[],
  workers: number,
  exchanges: readonly Exchange[],
): Promise<number[]> {
  let now = 0;
  const store = new MemoryBudgetStore(windows, () => now);
  const free = Array.from({ length: workers }, () => 0);
  const ends: { id: string; at: number }[] = [];
  const arrivals: number[] = [];
  const settleUntil = async (moment: number): Promise<void> => {
    ends.sort((a, b) => a.at - b.at);
    while (ends[0] !== undefined && ends[0].at <= moment) {
      const { id, at } = ends.shift() as { id: string; at: number };
      now = at;
      await store.settle(id);
    }
    now = moment;
  };
  for (const [n, { lasts, reaches, lost }] of exchanges.entries()) {
    const worker = free.indexOf(Math.min(...free));
    await settleUntil(Math.max(now, free[worker] ?? 0));
    for (let wait = await store.take(`${n}`, HOLD_MS); wait > 0; wait = await store.take(`${n}`, HOLD_MS))
      await settleUntil(now + wait);
    arrivals.push(now + lasts * reaches);
    free[worker] = now + lasts;
    if (!lost) ends.push({ id: `${n}`, at: now + lasts });
  }
  return arrivals;
}

const exchange = (longestMs: number, lost: fc.Arbitrary<boolean>): fc.Arbitrary<Exchange> =>
  fc.record({
    lasts: fc.integer({ min: 0, max: longestMs }),
    reaches: fc.double({ min: 0, max: 1, noNaN: true }),
    lost,
  });
const someWindows = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 12 }), ms: fc.integer({ min: 1, max: 5_000 }) }),
  { minLength: 1, maxLength: 3 },
);

describe('the budget', () => {
  it('is never over in any window, wherever it is laid, however long each request is on its way', async () => {
    const many = fc.array(exchange(HOLD_MS, fc.boolean()), { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(someWindows, fc.integer({ min: 1, max: 16 }), many, async (windows, workers, work) => {
        const arrivals = await play(windows, workers, work);
        for (const { requests, ms } of windows)
          expect(mostInAnyWindow(arrivals, ms)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 200 },
    );
  });

  it('is used to 95 % and more when there is work', async () => {
    const most = 1_200;
    const many = fc.array(exchange(2_000, fc.constant(false)), { minLength: most, maxLength: most });
    await fc.assert(
      fc.asyncProperty(many, async (work) => {
        const arrivals = await play(REAL, 8, work);
        // By hand: 200 in each five minutes; the first 200 are through after three minutes, so the last of 1,200 may go 25 minutes and
        // three minutes after the first.
        const ideal = 5 * 300_000 + 3 * 60_000;
        expect(ideal / Math.max(...arrivals)).toBeGreaterThanOrEqual(0.95);
        for (const { requests, ms } of REAL)
          expect(mostInAnyWindow(arrivals, ms)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 5 },
    );
  });
});
