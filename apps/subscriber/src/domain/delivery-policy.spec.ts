import { paceOf, retryDelayMs } from './delivery-policy.js';

const TERMS = { baseMs: 500, maxMs: 60_000 };
const answered = (status: number, retryAfterMs?: number) =>
  ({ kind: 'answered', status, retryAfterMs }) as const;

describe('the pace of repeats', () => {
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
    expect(paceOf(answered(status))).toBe(pace);
  });

  it('after no answer is soon', () => {
    expect(paceOf({ kind: 'timeout' })).toBe('soon');
    expect(paceOf({ kind: 'unreachable', detail: 'ECONNREFUSED' })).toBe('soon');
  });
});

describe('the wait before the next attempt', () => {
  it.each([
    ['the first failure, least jitter', answered(500), 1, 0, 250],
    ['the first failure, most jitter', answered(500), 1, 1, 500],
    ['the third failure', answered(500), 3, 1, 2_000],
    ['many failures: the cap', answered(500), 40, 1, 60_000],
    ['very many failures', answered(500), 100_000, 0, 30_000],
    ['what only a person can mend: the cap at once', answered(410), 1, 1, 60_000],
    ['a longer wait that the sink asks for', answered(503, 90_000), 1, 1, 90_000],
    ['a shorter wait than our own', answered(503, 1), 1, 1, 500],
    ['a wait without end that the sink asks for', answered(429, 86_400_000), 1, 1, 600_000],
  ])('%s', (_, outcome, attempt, random, expected) => {
    expect(retryDelayMs(outcome, attempt, TERMS, random)).toBe(expected);
  });
});
