import type { Redis } from 'ioredis';
import type { RequestGate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { RedisBudgetStore, RequestBudget, type BudgetWindow } from '@ssb/request-budget';
import { type Demand, tooSmallFor } from '../domain/demand.js';
import type { PollerMetrics } from '../poller-metrics.js';
import type { Settings } from '../settings.js';

export type MarketInterface = 'prudential' | 'settlement';

const MINUTE_MS = 60_000;
/** An exchange is cut off at its time-out; a connection that is being opened then, and a busy machine, take a little longer. */
const SLACK_MS = 5_000;

/**
 * The budget of one interface, shared by all replicas that poll for the participant: the limits hold for a participant, whoever asks in its
 * name (field notes, "The market"). While Redis is away nothing is asked.
 */
export function openBudget(
  name: MarketInterface,
  settings: Settings,
  { redis, metrics, log }: { redis: Redis; metrics: PollerMetrics; log: Logger },
): RequestGate {
  const key = `${settings.PARTICIPANT}:${name}`;
  const longestMs = Math.max(settings.REQUEST_TIMEOUT_MS, settings.SETTLEMENT_REQUEST_TIMEOUT_MS ?? 0);
  const windows = windowsOf(name, settings);
  for (const { requests, ms } of tooSmallFor([demandOf(name, settings)], windows))
    log.warn(
      { budget: key, requests, ms },
      `polls of the ${name} interface can ask for more than ${requests} requests in ${ms} ms: some will be put off`,
    );
  const budget = new RequestBudget({
    name: key,
    store: new RedisBudgetStore({ redis, name: key, windows }),
    longestRequestMs: longestMs + SLACK_MS,
    maxWaitMs: settings.REQUEST_BUDGET_WAIT_MS,
    onError: (error) => log.warn({ err: error, budget: key }, 'the end of a request could not be counted'),
  });
  return {
    take: async (signal) => {
      const permit = await budget.take(signal);
      metrics.requests.inc({ interface: name });
      return permit;
    },
    pause: (retryAfterMs) => budget.pause(retryAfterMs),
  };
}

/** What the polls of an interface ask for at most, repeats with another token aside. */
export function demandOf(name: MarketInterface, settings: Settings): Demand {
  if (name === 'prudential') return { intervalMs: settings.POLL_PRUDENTIAL_INTERVAL_MS, requests: 1 };
  // The timeline, and what it lets expect.
  return {
    intervalMs: settings.POLL_SETTLEMENT_INTERVAL_MS,
    requests: 1 + settings.SETTLEMENT_ASKS_PER_POLL,
  };
}

/** The windows of an interface's budget; none where it is not limited. */
export function windowsOf(name: MarketInterface, settings: Settings): BudgetWindow[] {
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
