import { ReportingUnavailableError, TokenUnavailableError } from '@ssb/market';
import { findThrottling } from './throttling.js';

const responds = (status: number | undefined, retryAfterSeconds?: number): Error =>
  new ReportingUnavailableError(
    'prudentialRange',
    status,
    retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000,
  );

it.each([
  [
    'a 429 of a day',
    [responds(429, 86_400)],
    'the operator responds 429 with Retry-After 86400 s, which is bounded to 300 s; the next poll is in 300 s or at its usual time',
  ],
  [
    'a 503 of ten minutes',
    [responds(503, 600)],
    'the operator responds 503 with Retry-After 600 s, which is bounded to 300 s; the next poll is in 300 s or at its usual time',
  ],
  [
    'the token service, beside a shorter one',
    [responds(429, 10), new TokenUnavailableError('status 503', 503, 90_000)],
    'the token service responds 503 with Retry-After 90 s; the next poll is in 300 s or at its usual time',
  ],
])('%s is reported with its figures', (_, failures, detail) => {
  expect(findThrottling('prudential', failures, 300_000)).toEqual({ isLong: true, detail });
});

it.each([
  ['a 429 with a short pause', [responds(429, 20)]],
  ['a 429 without Retry-After', [responds(429)]],
])('%s is reported when it repeats', (_, failures) => {
  expect(findThrottling('prudential', failures, 0)).toMatchObject({ isLong: false });
});

it.each([
  ['no response', [responds(undefined)]],
  ['a 503 with a short pause', [responds(503, 5)]],
  ['no failure', []],
])('%s is not throttling', (_, failures) => {
  expect(findThrottling('prudential', failures, 0)).toBeUndefined();
});
