import { readSettings } from '@ssb/platform';
import { MemoryBudgetStore } from '@ssb/testing/in-process';
import { definition } from '../settings.js';
import {
  budgetWindows,
  exceededWindows,
  hasSpare,
  maxRequestsWithin,
  pollDemand,
} from './request-budgets.js';

const MINUTE_MS = 60_000;
/** Field notes, "The market": 50 a minute, 200 in five minutes. */
const MARKET = [
  { requests: 50, ms: MINUTE_MS },
  { requests: 200, ms: 5 * MINUTE_MS },
];
/** A divisor of both intervals. */
const TICK_MS = 5_000;
const defaults = readSettings(definition, {
  PARTICIPANT: 'PART1',
  TOKEN_CLIENT_ID: 'a',
  TOKEN_CLIENT_SECRET: 'b',
  INTEGRITY_KEYS_FILE: 'integrity.keys',
});
const [prudential, settlement] = [pollDemand('prudential', defaults), pollDemand('settlement', defaults)];

describe('the request demand of polls', () => {
  it.each([
    ['a poll a minute', { intervalMs: MINUTE_MS, requests: 1 }, 2],
    ['a poll every 15 seconds', { intervalMs: 15_000, requests: 1 }, 5],
    ['an interval that does not divide the minute', { intervalMs: 25_000, requests: 1 }, 3],
    ['polls of several requests', { intervalMs: 30_000, requests: 15 }, 45],
    ['an interval longer than the minute', { intervalMs: 90_000, requests: 4 }, 4],
  ])('within a minute is counted for %s', (_, demand, max) => {
    expect(maxRequestsWithin(demand, MINUTE_MS)).toBe(max);
  });

  it('is compared with each window', () => {
    const demand = { intervalMs: 15_000, requests: 10 };
    expect(exceededWindows([demand], MARKET)).toEqual([MARKET[1]]);
    expect(exceededWindows([demand, { intervalMs: MINUTE_MS, requests: 1 }], MARKET)).toEqual(MARKET);
    expect(exceededWindows([demand], [])).toEqual([]);
  });
});

it.each([
  [20, 14, true],
  [20, 15, false],
  [4, 0, true],
  [4, 1, false],
])('a window of %i requests with %i used has room beside a poll of 5: %s', (requests, used, expected) => {
  expect(hasSpare({ requests, used }, { intervalMs: MINUTE_MS, requests: 5 })).toBe(expected);
});

describe('by default', () => {
  it('the prudential budget is the market’s limit, and the settlement interface has none', () => {
    expect(budgetWindows('prudential', defaults)).toEqual(MARKET);
    expect(budgetWindows('settlement', defaults)).toEqual([]);
  });

  it('both interfaces together stay within the market’s limit for one', () => {
    expect(exceededWindows([prudential, settlement], MARKET)).toEqual([]);
    const inFiveMinutes = [prudential, settlement].map((demand) => maxRequestsWithin(demand, 5 * MINUTE_MS));
    // Calculated by hand: 21 polls of one request; 31 polls of a timeline and 4 statements or invoices.
    expect(inFiveMinutes).toEqual([21, 155]);
  });

  it('no prudential poll waits, even when each is sent twice and settlement polls share the budget', async () => {
    let now = 0;
    const store = new MemoryBudgetStore(budgetWindows('prudential', defaults), () => now);
    let id = 0;
    const send = async (): Promise<void> => {
      const name = String((id += 1));
      expect(await store.tryAcquire(name, defaults.REQUEST_TIMEOUT_MS)).toBe(0);
      await store.release(name);
    };
    for (; now < 3_600_000; now += prudential.intervalMs) {
      await send();
      // A refused token (401) costs a second request.
      await send();
    }
    now += 5 * MINUTE_MS;
    const startedAt = now;
    for (; now < startedAt + 3_600_000; now += TICK_MS) {
      if ((now - startedAt) % prudential.intervalMs === 0) await send();
      if ((now - startedAt) % settlement.intervalMs === 0)
        for (let count = 0; count < settlement.requests; count += 1) await send();
    }
  });
});
