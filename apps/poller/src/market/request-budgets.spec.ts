import { readSettings } from '@ssb/platform';
import { MemoryBudgetStore } from '@ssb/request-budget';
import { demandOf, windowsOf } from './request-budgets.js';
import { definition } from '../settings.js';
import { mostRequests, tooSmallFor } from '../domain/demand.js';

const MINUTE_MS = 60_000;
/** Field notes, "The market": 50 a minute, 200 in five minutes. */
const MARKET = [
  { requests: 50, ms: MINUTE_MS },
  { requests: 200, ms: 5 * MINUTE_MS },
];
const defaults = readSettings(definition, { PARTICIPANT: 'PART1', CLIENT_ID: 'a', CLIENT_SECRET: 'b' });
const [prudential, settlement] = [demandOf('prudential', defaults), demandOf('settlement', defaults)];

describe('what polls ask of the market', () => {
  it.each([
    ['a poll a minute, of a minute', { intervalMs: MINUTE_MS, requests: 1 }, 2],
    ['one every quarter', { intervalMs: 15_000, requests: 1 }, 5],
    ['one that does not divide it', { intervalMs: 25_000, requests: 1 }, 3],
    ['one of several requests', { intervalMs: 30_000, requests: 15 }, 45],
    ['one rarer than the window is long', { intervalMs: 90_000, requests: 4 }, 4],
  ])('is counted for %s', (_, demand, most) => {
    expect(mostRequests(demand, MINUTE_MS)).toBe(most);
  });

  it('is held against each allowance', () => {
    const demand = { intervalMs: 15_000, requests: 10 };
    expect(tooSmallFor([demand], MARKET)).toEqual([MARKET[1]]);
    expect(tooSmallFor([demand, { intervalMs: MINUTE_MS, requests: 1 }], MARKET)).toEqual(MARKET);
    expect(tooSmallFor([demand], [])).toEqual([]);
  });
});

describe('by default', () => {
  it('the budget of the prudential interface is the market’s, and the settlement interface has none', () => {
    expect(windowsOf('prudential', defaults)).toEqual(MARKET);
    expect(windowsOf('settlement', defaults)).toEqual([]);
  });

  it('both interfaces together stay within what the market allows of one', () => {
    expect(tooSmallFor([prudential, settlement], MARKET)).toEqual([]);
    const inFiveMinutes = [prudential, settlement].map((demand) => mostRequests(demand, 5 * MINUTE_MS));
    // Worked by hand: 21 polls of one request; 11 polls of a timeline and 14 statements or invoices.
    expect(inFiveMinutes).toEqual([21, 165]);
  });

  it('no prudential poll ever waits, though each is sent twice and settlement polls use the same budget', async () => {
    let now = 0;
    const store = new MemoryBudgetStore(windowsOf('prudential', defaults), () => now);
    let id = 0;
    const send = async (): Promise<void> => {
      const name = String((id += 1));
      expect(await store.take(name, defaults.REQUEST_TIMEOUT_MS)).toBe(0);
      await store.settle(name);
    };
    for (; now < 3_600_000; now += prudential.intervalMs) {
      await send();
      // A refused token (401) costs a second request.
      await send();
    }
    now += 5 * MINUTE_MS;
    const began = now;
    for (; now < began + 3_600_000; now += prudential.intervalMs) {
      await send();
      if ((now - began) % settlement.intervalMs === 0)
        for (let ask = 0; ask < settlement.requests; ask += 1) await send();
    }
  });
});
