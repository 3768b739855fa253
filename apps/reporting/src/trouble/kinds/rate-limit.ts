import { ProblemException } from '@ssb/platform';
import { judgeRate, MARKET_RATE_LIMITS } from '../domain/rate-window.js';
import { RecentRequests } from '../domain/recent-requests.js';
import type { Switched } from '../trouble-board.js';
import { answerWith } from './answer-with.js';
import type { Before, Hit } from './spoil.js';

/** Participants whose requests are counted. */
const MOST_PARTICIPANTS = 1_000;

/** The moments of the requests that passed, by participant; gone with the trouble. */
const passed = new WeakMap<Switched, RecentRequests>();

/** 429 for what is beyond the limits. Callers whom nobody knows are counted together. */
export function rateLimit({ one, reply, participant = '', claim }: Hit<'rate-limit'>, now: number): Before {
  const { perMinute, perFiveMinutes, retryAfter } = one.trouble;
  const limits = {
    perMinute: perMinute ?? MARKET_RATE_LIMITS.perMinute,
    perFiveMinutes: perFiveMinutes ?? MARKET_RATE_LIMITS.perFiveMinutes,
  };
  const requests = requestsOf(one);
  const verdict = judgeRate(limits, requests.of(participant), now);
  requests.keep(participant, verdict.past);
  if (verdict.allowed || !claim()) return 'goes-on';
  const rule = `${limits.perMinute} requests in a minute and ${limits.perFiveMinutes} in five minutes are allowed.`;
  const seconds = retryAfter ? Math.ceil(verdict.waitMs / 1000) : undefined;
  answerWith(reply, new ProblemException(429, 'Too many requests', rule), seconds);
  return 'answered';
}

function requestsOf(one: Switched): RecentRequests {
  const known = passed.get(one) ?? new RecentRequests(MOST_PARTICIPANTS);
  passed.set(one, known);
  return known;
}
