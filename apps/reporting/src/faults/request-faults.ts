import type { FaultOf } from '@ssb/market/admin';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { setTimeout as delay } from 'node:timers/promises';
import { setTokenCheckTime } from '../access/token-verifier.js';
import { sendProblem } from '../failures.js';
import type { InjectedFault } from './injected-fault.js';
import { evaluateRateLimit, MARKET_RATE_LIMITS } from './rate-limit.js';

/** A fault that matches one request at the participants' port. */
export interface FaultMatch {
  readonly injected: InjectedFault;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly participant: string | undefined;
  /** Counts one use of the fault. Call it just before the fault is applied. Returns false when the fault has ended. */
  readonly claim: () => boolean;
  /** Resets the TCP connection of the request. */
  readonly reset: () => void;
}

export type RequestOutcome = 'continue' | 'responded';

/** Applies a fault before the handler of the request runs. */
export async function applyToRequest(match: FaultMatch, closing: AbortSignal): Promise<RequestOutcome> {
  const { fault } = match.injected;
  switch (fault.kind) {
    case 'latency':
      return applyLatency(fault, match, closing);
    case 'rate-limit':
      return applyRateLimit(fault, match, Date.now());
    case 'error':
      return applyError(fault, match);
    case 'connection-reset':
      if (fault.when !== 'before-response' || !match.claim()) return 'continue';
      match.reply.hijack();
      match.reset();
      return 'responded';
    case 'clock-skew':
      return applyClockSkew(fault, match, Date.now());
    case 'truncated-json':
    case 'wrong-content-type':
    case 'invoice-file':
    case 'unknown-property':
    case 'missing-property':
      return 'continue';
    default:
      return fault satisfies never;
  }
}

/** Delays the request for the configured time, or until its connection closes or the server shuts down. */
async function applyLatency(
  { ms }: FaultOf<'latency'>,
  { request, reply, claim }: FaultMatch,
  closing: AbortSignal,
): Promise<RequestOutcome> {
  if (!claim()) return 'continue';
  const disconnected = new AbortController();
  const abort = (): void => disconnected.abort();
  request.raw.socket.once('close', abort);
  const signal = AbortSignal.any([disconnected.signal, closing]);
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    // A kept-alive connection would delay the shutdown.
    if (closing.aborted) void reply.header('connection', 'close');
  } finally {
    request.raw.socket.off('close', abort);
  }
  return 'continue';
}

const MAX_PARTICIPANTS = 1_000;

/** Epoch milliseconds of the requests that passed, by participant; released with the fault. */
const passed = new WeakMap<InjectedFault, LRUCache<string, readonly number[]>>();

/** 429 for requests beyond the limits. Unknown callers are counted together. */
function applyRateLimit(
  { perMinute, perFiveMinutes, retryAfter }: FaultOf<'rate-limit'>,
  { injected, reply, participant = '', claim }: FaultMatch,
  now: number,
): RequestOutcome {
  const limits = {
    perMinute: perMinute ?? MARKET_RATE_LIMITS.perMinute,
    perFiveMinutes: perFiveMinutes ?? MARKET_RATE_LIMITS.perFiveMinutes,
  };
  const requests = passed.get(injected) ?? new LRUCache<string, readonly number[]>({ max: MAX_PARTICIPANTS });
  passed.set(injected, requests);
  const verdict = evaluateRateLimit(limits, requests.get(participant) ?? [], now);
  requests.set(participant, verdict.past);
  if (verdict.allowed || !claim()) return 'continue';
  const rule = `${limits.perMinute} requests in a minute and ${limits.perFiveMinutes} in five minutes are allowed.`;
  const seconds = retryAfter ? Math.ceil(verdict.waitMs / 1000) : undefined;
  return respondWithProblem(reply, new ProblemException(429, 'Too many requests', rule), seconds);
}

/** 500 or 503, as a failing service responds. */
function applyError(
  { status, retryAfterSeconds }: FaultOf<'error'>,
  { injected, reply, claim }: FaultMatch,
): RequestOutcome {
  if (!claim()) return 'continue';
  const title = status === 503 ? 'Service unavailable' : 'Internal error';
  const detail = `Fault ${injected.id} was injected through the operator API.`;
  return respondWithProblem(reply, new ProblemException(status, title, detail), retryAfterSeconds);
}

/** Shifts the server time that this request sees: its `Date` header (RFC 9110 §6.6.1) and the check of its token. */
function applyClockSkew(
  { seconds }: FaultOf<'clock-skew'>,
  { request, reply, claim }: FaultMatch,
  now: number,
): RequestOutcome {
  if (!claim()) return 'continue';
  const skewed = new Date(now + seconds * 1000);
  setTokenCheckTime(request.raw, skewed);
  void reply.header('date', skewed.toUTCString());
  return 'continue';
}

function respondWithProblem(
  reply: FastifyReply,
  problem: ProblemException,
  retryAfterSeconds?: number,
): RequestOutcome {
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(retryAfterSeconds));
  sendProblem(reply, problem);
  return 'responded';
}
