import {
  MalformedResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '../errors.js';
import { NoAnswerError } from '../http-edge.js';
import { DEFAULT_RETRY, NO_RETRY, retryAfter } from './retry-table.js';

const unavailable = (status?: number, retryAfterMs?: number): Error =>
  new ReportingUnavailableError('GET /', status, retryAfterMs);
const silent = (reason: NoAnswerError['reason']): Error =>
  new ReportingUnavailableError('GET /', undefined, undefined, { cause: new NoAnswerError(reason, '') });

describe('what is tried again', () => {
  it.each<[string, Error, number]>([
    ['no connection', silent('connection'), 500],
    ['no answer in time', silent('timeout'), 500],
    ['too many requests', unavailable(429), 5_000],
    ['500', unavailable(500), 1_000],
    ['503', unavailable(503), 1_000],
    ['408', unavailable(408), 1_000],
    ['no token for now', new TokenUnavailableError('away', 503, undefined), 1_000],
    ['503 that says when', unavailable(503, 7_000), 7_700],
    ['429 that says when', unavailable(429, 20_000), 21_000],
    ['429 that says now', unavailable(429, 0), 5_000],
    ['429 that says at once, almost', unavailable(429, 1_000), 5_000],
    ['503 that says now', unavailable(503, 0), 1_000],
    ['no token until then', new TokenUnavailableError('away', 429, 2_000), 2_200],
  ])('%s', (_, error, expected) => {
    expect(retryAfter(error, 1, DEFAULT_RETRY, 1)).toBe(expected);
  });

  it.each<[string, Error]>([
    ['a body beyond the bound', silent('too-large')],
    ['a redirection', unavailable(302)],
    ['a wrong question', unavailable(400)],
    ['a refusal', new ReportingForbiddenError('GET /', 403)],
    ['a malformed body', new MalformedResponseError('GET /', [])],
    [
      'a client that the token service does not know',
      new TokenRefusedError(401, 'invalid_client', undefined),
    ],
    ['what is no failure of the market', new RangeError('ours')],
    ['a server that asks for more than the longest pause', unavailable(503, 30_001)],
  ])('but not %s', (_, error) => {
    expect(retryAfter(error, 1, DEFAULT_RETRY, 0)).toBeUndefined();
  });
});

describe('the pause', () => {
  it.each([
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 1, 2_000],
    [2, 0.5, 1_500],
  ])('after %i failed tries, by chance %d, is %i ms', (failed, random, expected) => {
    expect(retryAfter(unavailable(503), failed, DEFAULT_RETRY, random)).toBe(expected);
  });

  it('never undercuts what the server asks for, and never goes over the longest', () => {
    expect(retryAfter(unavailable(503, 7_000), 1, DEFAULT_RETRY, 0)).toBe(7_000);
    expect(retryAfter(unavailable(503, 30_000), 1, DEFAULT_RETRY, 1)).toBe(30_000);
    expect(retryAfter(unavailable(503), 40, { attempts: 99, longestPauseMs: 8_000 }, 1)).toBe(8_000);
  });

  it('is none after the last try', () => {
    expect(retryAfter(unavailable(503), 3, DEFAULT_RETRY, 0)).toBeUndefined();
    expect(retryAfter(unavailable(503), 1, NO_RETRY, 0)).toBeUndefined();
  });
});
