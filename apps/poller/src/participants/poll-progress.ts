import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { requestTimeoutMs } from '../market/market-clients.js';
import { pollDemand } from '../market/request-budgets.js';
import type { Settings } from '../settings.js';

/** Intervals without a started or ended poll. A failed or paused poll is progress, so an outage of the operator does not count. */
const MAX_IDLE_INTERVALS = 20;

/** The time after which a poll loop is stuck: many intervals, and longer than any poll takes whose requests all time out. */
export function maxPollMs(settings: Settings): Readonly<Record<MarketInterface, number>> {
  const limitOf = (name: MarketInterface): number => {
    const { intervalMs, requests } = pollDemand(name, settings);
    // Each request may wait for the budget, for a token and for its response.
    const requestMs =
      settings.REQUEST_BUDGET_WAIT_MS + settings.REQUEST_TIMEOUT_MS + requestTimeoutMs(name, settings);
    return MAX_IDLE_INTERVALS * intervalMs + requests * requestMs;
  };
  return { prudential: limitOf('prudential'), settlement: limitOf('settlement') };
}

/** When the poll loops of this replica last made progress. */
export class PollProgress {
  private readonly at: Record<MarketInterface, number>;

  constructor(
    private readonly limitsMs: Readonly<Record<MarketInterface, number>>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.at = { prudential: now(), settlement: now() };
  }

  /** A poll of the interface started, ended, or was put off on purpose. */
  record(name: MarketInterface): void {
    this.at[name] = this.now();
  }

  /** The lease was acquired. */
  restart(): void {
    for (const name of MARKET_INTERFACES) this.record(name);
  }

  /** @throws Error when a loop does not run */
  assertRecent(): void {
    for (const name of MARKET_INTERFACES) {
      const idleMs = this.now() - this.at[name];
      if (idleMs > this.limitsMs[name])
        throw new Error(
          `No poll of the ${name} interface started or ended for ${Math.round(idleMs / 1_000)} s, although this replica holds the lease`,
        );
    }
  }
}
