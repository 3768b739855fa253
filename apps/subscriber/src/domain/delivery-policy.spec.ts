import { classifyFailure, retryDelayMs } from './delivery-policy.js';

const BACKOFF = { baseMs: 500, maxMs: 60_000 };
const rejected = (status: number, retryAfterMs?: number) =>
  ({ kind: 'rejected', status, retryAfterMs }) as const;

describe('the class of a failure', () => {
  it.each([
    [500, 'transient'],
    [503, 'transient'],
    [599, 'transient'],
    [408, 'transient'],
    [429, 'transient'],
    [301, 'needs-operator'],
    [307, 'needs-operator'],
    [400, 'needs-operator'],
    [401, 'needs-operator'],
    [404, 'needs-operator'],
    [410, 'needs-operator'],
  ])('after status %i is %s', (status, expected) => {
    expect(classifyFailure(rejected(status))).toBe(expected);
  });

  it('after no answer is transient', () => {
    expect(classifyFailure({ kind: 'timeout' })).toBe('transient');
    expect(classifyFailure({ kind: 'unreachable', detail: 'ECONNREFUSED' })).toBe('transient');
  });
});

describe('the delay before the next attempt', () => {
  it.each([
    ['the first failure, the least jitter', rejected(500), 1, 0, 250],
    ['the first failure, the most jitter', rejected(500), 1, 1, 500],
    ['the third failure', rejected(500), 3, 1, 2_000],
    ['many failures: the cap', rejected(500), 40, 1, 60_000],
    ['very many failures', rejected(500), 100_000, 0, 30_000],
    ['a failure that only an operator can fix: the cap at once', rejected(410), 1, 1, 60_000],
    ['a Retry-After longer than the backoff', rejected(503, 90_000), 1, 1, 90_000],
    ['a Retry-After shorter than the backoff', rejected(503, 1), 1, 1, 500],
    ['a Retry-After of a day: ten minutes', rejected(429, 86_400_000), 1, 1, 600_000],
  ])('%s', (_, outcome, attempt, random, expected) => {
    expect(retryDelayMs(outcome, attempt, BACKOFF, random)).toBe(expected);
  });
});
