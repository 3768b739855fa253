import { retryPace, retryDelayMs } from './delivery-policy.js';

const BACKOFF = { baseMs: 500, maxMs: 60_000 };
const answered = (status: number, retryAfterMs?: number) =>
  ({ kind: 'answered', status, retryAfterMs }) as const;

describe('the pace of retries', () => {
  it.each([
    [500, 'soon'],
    [503, 'soon'],
    [599, 'soon'],
    [408, 'soon'],
    [429, 'soon'],
    [301, 'slow'],
    [307, 'slow'],
    [400, 'slow'],
    [401, 'slow'],
    [404, 'slow'],
    [410, 'slow'],
  ])('after status %i is %s', (status, pace) => {
    expect(retryPace(answered(status))).toBe(pace);
  });

  it('after no answer is soon', () => {
    expect(retryPace({ kind: 'timeout' })).toBe('soon');
    expect(retryPace({ kind: 'unreachable', detail: 'ECONNREFUSED' })).toBe('soon');
  });
});

describe('the delay before the next attempt', () => {
  it.each([
    ['the first failure, the least jitter', answered(500), 1, 0, 250],
    ['the first failure, the most jitter', answered(500), 1, 1, 500],
    ['the third failure', answered(500), 3, 1, 2_000],
    ['many failures: the cap', answered(500), 40, 1, 60_000],
    ['very many failures', answered(500), 100_000, 0, 30_000],
    ['a failure that only an operator can fix: the cap at once', answered(410), 1, 1, 60_000],
    ['a Retry-After longer than the backoff', answered(503, 90_000), 1, 1, 90_000],
    ['a Retry-After shorter than the backoff', answered(503, 1), 1, 1, 500],
    ['a Retry-After of a day: ten minutes', answered(429, 86_400_000), 1, 1, 600_000],
  ])('%s', (_, outcome, attempt, random, expected) => {
    expect(retryDelayMs(outcome, attempt, BACKOFF, random)).toBe(expected);
  });
});
