import type { Redis } from 'ioredis';
import type { RequestGate } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { RedisBudgetStore, RequestBudget, type BudgetWindow } from '@ssb/request-budget';
import type { PollerMetrics } from './metrics.js';
import type { Settings } from './settings.js';

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
  const budget = new RequestBudget({
    name: key,
    store: new RedisBudgetStore({ redis, name: key, windows: windowsOf(name, settings) }),
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

function windowsOf(name: MarketInterface, settings: Settings): BudgetWindow[] {
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
