import type { MarketInterface } from '@ssb/events';
import type { RequestLimiter } from '@ssb/market';
import { ScrapeReading, type Logger } from '@ssb/platform';
import { RedisBudgetStore, RequestBudget, type BudgetWindow, type RedisConnection } from '@ssb/redis-queue';
import { MAX_RETRY_AFTER_MS } from '../faults/throttling.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { Settings } from '../settings.js';

const MINUTE_MS = 60_000;
/** Added to the request timeout, for a connection that is still being opened and for a busy machine. */
const TIMEOUT_SLACK_MS = 5_000;

/** A request budget that shows whether other work than the polls may use it. */
export interface PollerBudget extends RequestLimiter {
  /** Whether there is room for one request beside those of the next poll. */
  hasSpareRequest(): Promise<boolean>;
}

/**
 * The request budget of one interface. All replicas of a participant with one QUEUE_PREFIX share it, because the market's limits are
 * per participant. Without Redis no request is sent.
 */
export function createRequestBudget(
  name: MarketInterface,
  participant: string,
  settings: Settings,
  { redis, metrics, log }: { redis: RedisConnection; metrics: ParticipantMetrics; log: Logger },
): PollerBudget {
  const key = `${participant}:${name}`;
  const maxTimeoutMs = Math.max(settings.REQUEST_TIMEOUT_MS, settings.SETTLEMENT_REQUEST_TIMEOUT_MS ?? 0);
  const windows = budgetWindows(name, settings);
  const demand = pollDemand(name, settings);
  for (const { requests, ms } of exceededWindows([demand], windows))
    log.warn({ budget: key, requests, ms }, 'polls can exceed the request budget');
  const store = new RedisBudgetStore({ redis, prefix: settings.QUEUE_PREFIX, name: key, windows });
  const usage = new ScrapeReading(() => store.usage(), { what: `request budget ${key}`, log });
  metrics.observeBudget(name, { windows, usage });
  const budget = new RequestBudget({
    name: key,
    store,
    onDelayed: () => metrics.requestDelayed(name),
    maxRequestMs: maxTimeoutMs + TIMEOUT_SLACK_MS,
    maxWaitMs: settings.REQUEST_BUDGET_WAIT_MS,
    maxPauseMs: MAX_RETRY_AFTER_MS[name],
    onError: (error) => log.warn({ err: error, budget: key }, 'request budget could not be updated'),
  });
  return {
    acquire: async (signal) => {
      const permit = await budget.acquire(signal);
      metrics.requestAdmitted(name);
      return permit;
    },
    pause: (retryAfterMs) => budget.pause(retryAfterMs),
    hasSpareRequest: async () => (await store.usage()).every((window) => hasSpare(window, demand)),
  };
}

/** Whether a window has room for one request beside a poll. A window that is smaller than a poll has room while it is unused. */
export function hasSpare(
  { requests, used }: { readonly requests: number; readonly used: number },
  demand: PollDemand,
): boolean {
  return used + 1 + Math.min(demand.requests, requests - 1) <= requests;
}

/** The windows of an interface's budget; none when it is unlimited. */
export function budgetWindows(name: MarketInterface, settings: Settings): BudgetWindow[] {
  const [perMinute, perFiveMinutes] =
    name === 'prudential'
      ? [settings.PRUDENTIAL_REQUESTS_PER_MINUTE, settings.PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES]
      : [settings.SETTLEMENT_REQUESTS_PER_MINUTE, settings.SETTLEMENT_REQUESTS_PER_FIVE_MINUTES];
  const windows = [
    { requests: perMinute, ms: MINUTE_MS },
    { requests: perFiveMinutes, ms: 5 * MINUTE_MS },
  ];
  return windows.filter(({ requests }) => requests > 0);
}

/** The request rate of the polls of one interface. */
export interface PollDemand {
  /** Time between the starts of two polls, milliseconds. */
  readonly intervalMs: number;
  /** Maximum number of requests in one poll. */
  readonly requests: number;
}

/** The demand of an interface's polls, without repeats after a refused token. */
export function pollDemand(name: MarketInterface, settings: Settings): PollDemand {
  if (name === 'prudential') return { intervalMs: settings.POLL_PRUDENTIAL_INTERVAL_MS, requests: 1 };
  // One request for the timeline, then the statements and invoices.
  return {
    intervalMs: settings.POLL_SETTLEMENT_INTERVAL_MS,
    requests: 1 + settings.SETTLEMENT_FETCHES_PER_POLL,
  };
}

/** Maximum number of requests of these polls in any period of this length. */
export function maxRequestsWithin({ intervalMs, requests }: PollDemand, ms: number): number {
  // Both ends count: with four polls a minute, five of them can start within one minute.
  return requests * (Math.floor(ms / intervalMs) + 1);
}

/** The windows that these polls together can use up, so that a poll waits or is postponed. */
export function exceededWindows(
  demands: readonly PollDemand[],
  windows: readonly BudgetWindow[],
): BudgetWindow[] {
  return windows.filter(
    ({ requests, ms }) => demands.reduce((sum, demand) => sum + maxRequestsWithin(demand, ms), 0) > requests,
  );
}
