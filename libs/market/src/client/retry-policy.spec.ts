import { TokenRefusedError, TokenUnavailableError, NoResponseError } from '@ssb/net';
import { MalformedResponseError, ReportingForbiddenError, ReportingUnavailableError } from './errors.js';

import { DEFAULT_RETRY, NO_RETRY, retryDelayMs } from './retry-policy.js';

const unavailable = (status?: number, retryAfterMs?: number): Error =>
  new ReportingUnavailableError('GET /', status, retryAfterMs);
const noResponse = (reason: NoResponseError['reason']): Error =>
  new ReportingUnavailableError('GET /', undefined, undefined, { cause: new NoResponseError(reason, '') });

describe('the first delay', () => {
  it.each<[string, Error, number]>([
    ['no connection', noResponse('connection'), 500],
    ['a timeout', noResponse('timeout'), 500],
    ['too many requests', unavailable(429), 5_000],
    ['500', unavailable(500), 1_000],
    ['503', unavailable(503), 1_000],
    ['408', unavailable(408), 1_000],
    ['no token at present', new TokenUnavailableError('away', 503, undefined), 1_000],
    ['503 with Retry-After', unavailable(503, 7_000), 7_700],
    ['429 with Retry-After', unavailable(429, 20_000), 21_000],
    ['429 with Retry-After 0', unavailable(429, 0), 5_000],
    ['429 with a short Retry-After', unavailable(429, 1_000), 5_000],
    ['503 with Retry-After 0', unavailable(503, 0), 1_000],
    ['no token, with Retry-After', new TokenUnavailableError('away', 429, 2_000), 2_200],
  ])('for %s', (_, error, expected) => {
    expect(retryDelayMs(error, 1, DEFAULT_RETRY, 1)).toBe(expected);
  });

  it.each<[string, Error]>([
    ['a body over the maximum size', noResponse('too-large')],
    ['a body that cannot be decoded', noResponse('undecodable')],
    ['a redirection', unavailable(302)],
    ['a bad request', unavailable(400)],
    ['a refusal', new ReportingForbiddenError('GET /', 403)],
    ['a malformed body', new MalformedResponseError('GET /', [])],
    ['a client that the token service refuses', new TokenRefusedError(401, 'invalid_client', undefined)],
    ['an error that is not of the market', new RangeError('ours')],
    ['a Retry-After over the maximum delay', unavailable(503, 30_001)],
  ])('does not exist for %s', (_, error) => {
    expect(retryDelayMs(error, 1, DEFAULT_RETRY, 0)).toBeUndefined();
  });
});

describe('the delay', () => {
  it.each([
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 1, 2_000],
    [2, 0.5, 1_500],
  ])('after %i failed attempts with random %d is %i ms', (failed, random, expected) => {
    expect(retryDelayMs(unavailable(503), failed, DEFAULT_RETRY, random)).toBe(expected);
  });

  it('is never below Retry-After and never above the maximum', () => {
    expect(retryDelayMs(unavailable(503, 7_000), 1, DEFAULT_RETRY, 0)).toBe(7_000);
    expect(retryDelayMs(unavailable(503, 30_000), 1, DEFAULT_RETRY, 1)).toBe(30_000);
    expect(retryDelayMs(unavailable(503), 40, { attempts: 99, maxDelayMs: 8_000 }, 1)).toBe(8_000);
  });

  it('does not exist after the last attempt', () => {
    expect(retryDelayMs(unavailable(503), 3, DEFAULT_RETRY, 0)).toBeUndefined();
    expect(retryDelayMs(unavailable(503), 1, NO_RETRY, 0)).toBeUndefined();
  });
});
