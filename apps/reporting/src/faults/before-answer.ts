import type { FaultOf } from '@ssb/market-admin';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { setTokenCheckTime } from '../access/token-verifier.js';
import type { InjectedFault } from './injected-fault.js';
import { judgeRate, MARKET_RATE_LIMITS } from './rate-window.js';

/** One request at the participants' port that a fault hits. */
export interface Hit {
  readonly fault: InjectedFault;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly participant: string | undefined;
  /** Counts one application, directly before it; false when the fault has ended. */
  readonly claim: () => boolean;
  /** Resets the TCP connection of the request. */
  readonly reset: () => void;
}

/** The request goes on to the service, or has been answered. */
export type BeforeAnswer = 'goes-on' | 'answered';

/** Applies a fault before the service sees the request. */
export async function applyBeforeAnswer(hit: Hit, closing: AbortSignal): Promise<BeforeAnswer> {
  const { fault } = hit.fault;
  switch (fault.kind) {
    case 'latency':
      return applyLatency(fault, hit, closing);
    case 'rate-limit':
      return applyRateLimit(fault, hit, Date.now());
    case 'error':
      return applyError(fault, hit);
    case 'connection-reset':
      if (fault.when !== 'before-answer' || !hit.claim()) return 'goes-on';
      hit.reply.hijack();
      hit.reset();
      return 'answered';
    case 'clock-skew':
      return applyClockSkew(fault, hit, Date.now());
    case 'truncated-json':
    case 'wrong-content-type':
    case 'unknown-property':
    case 'missing-property':
      return 'goes-on';
    default:
      return fault satisfies never;
  }
}

/** Delays the request, no longer than its connection lives or the server runs. */
async function applyLatency(
  { ms }: FaultOf<'latency'>,
  { request, reply, claim }: Hit,
  closing: AbortSignal,
): Promise<BeforeAnswer> {
  if (!claim()) return 'goes-on';
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  request.raw.socket.once('close', leave);
  const signal = AbortSignal.any([gone.signal, closing]);
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    // A connection kept alive would delay the shutdown of the server.
    if (closing.aborted) void reply.header('connection', 'close');
  } finally {
    request.raw.socket.off('close', leave);
  }
  return 'goes-on';
}

const MAX_PARTICIPANTS = 1_000;

/** Epoch milliseconds of the requests that passed, by participant; released with the fault. */
const passed = new WeakMap<InjectedFault, LRUCache<string, readonly number[]>>();

/** 429 for requests beyond the limits. Unknown callers are counted together. */
function applyRateLimit(
  { perMinute, perFiveMinutes, retryAfter }: FaultOf<'rate-limit'>,
  { fault, reply, participant = '', claim }: Hit,
  now: number,
): BeforeAnswer {
  const limits = {
    perMinute: perMinute ?? MARKET_RATE_LIMITS.perMinute,
    perFiveMinutes: perFiveMinutes ?? MARKET_RATE_LIMITS.perFiveMinutes,
  };
  const requests = passed.get(fault) ?? new LRUCache<string, readonly number[]>({ max: MAX_PARTICIPANTS });
  passed.set(fault, requests);
  const verdict = judgeRate(limits, requests.get(participant) ?? [], now);
  requests.set(participant, verdict.past);
  if (verdict.allowed || !claim()) return 'goes-on';
  const rule = `${limits.perMinute} requests in a minute and ${limits.perFiveMinutes} in five minutes are allowed.`;
  const seconds = retryAfter ? Math.ceil(verdict.waitMs / 1000) : undefined;
  return answerWith(reply, new ProblemException(429, 'Too many requests', rule), seconds);
}

/** 500 or 503, as a failing service answers. */
function applyError(
  { status, retryAfterSeconds }: FaultOf<'error'>,
  { fault, reply, claim }: Hit,
): BeforeAnswer {
  if (!claim()) return 'goes-on';
  const title = status === 503 ? 'Service unavailable' : 'Internal error';
  const detail = `Fault ${fault.id} was injected through the operator API.`;
  return answerWith(reply, new ProblemException(status, title, detail), retryAfterSeconds);
}

/** The request sees another clock: in the `Date` header (RFC 9110 §6.6.1) and in the lifetime of its token. */
function applyClockSkew(
  { seconds }: FaultOf<'clock-skew'>,
  { request, reply, claim }: Hit,
  now: number,
): BeforeAnswer {
  if (!claim()) return 'goes-on';
  const moment = new Date(now + seconds * 1000);
  setTokenCheckTime(request.raw, moment);
  void reply.header('date', moment.toUTCString());
  return 'goes-on';
}

/** Answers with a problem (RFC 9457). Nothing failed, so nothing is logged as a failure. */
function answerWith(
  reply: FastifyReply,
  problem: ProblemException,
  retryAfterSeconds?: number,
): BeforeAnswer {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  void reply
    .status(problem.status)
    .header('content-type', 'application/problem+json')
    .send(JSON.stringify(problem.body()));
  return 'answered';
}
