import { decideVerdict, isRefusal, type AttemptContext } from './delivery-policy.js';

const CONTEXT: AttemptContext = {
  attempt: 1,
  urgent: false,
  backoff: { baseMs: 500, maxMs: 60_000 },
  probePauseMs: undefined,
  random: 1,
};
const rejected = (status: number, retryAfterMs?: number) =>
  ({ kind: 'rejected', status, retryAfterMs }) as const;

describe('a refusal', () => {
  it.each([400, 401, 403, 404, 410, 413, 422, 301, 405, 451])('is status %i, which parks', (status) => {
    expect(isRefusal(rejected(status))).toBe(true);
    expect(decideVerdict(rejected(status), CONTEXT)).toEqual({ kind: 'refused' });
  });

  it.each([408, 409, 423, 425, 429, 500, 503, 599])('is not status %i, which is repeated', (status) => {
    expect(isRefusal(rejected(status))).toBe(false);
    expect(decideVerdict(rejected(status), CONTEXT).kind).toBe('failed');
  });

  it('parks a probe of a failing sink too, so that the next one takes another delivery', () => {
    const probe = { ...CONTEXT, probePauseMs: 7_000 };
    expect(decideVerdict(rejected(401), probe)).toEqual({ kind: 'refused' });
    expect(decideVerdict(rejected(503), probe)).toEqual({ kind: 'failed', retryAfterMs: 7_000 });
  });
});

describe('the delay before the next attempt', () => {
  it.each([
    ['the first failure, the least jitter', rejected(500), { random: 0 }, 250],
    ['the first failure, the most jitter', rejected(500), {}, 500],
    ['the third failure', rejected(500), { attempt: 3 }, 2_000],
    ['many failures: the cap', rejected(500), { attempt: 40 }, 60_000],
    ['very many failures', rejected(500), { attempt: 100_000, random: 0 }, 30_000],
    ['no response in time', { kind: 'timeout' }, {}, 500],
    [
      'a network that only an operator can permit: the cap at once',
      { kind: 'network-not-allowed' },
      {},
      60_000,
    ],
    ['a Retry-After longer than the backoff', rejected(503, 90_000), {}, 90_000],
    ['a Retry-After shorter than the backoff', rejected(503, 1), {}, 500],
    ['a Retry-After of a day: ten minutes', rejected(429, 86_400_000), {}, 600_000],
    ['a Retry-After of a day for a breach: 15 seconds', rejected(429, 86_400_000), { urgent: true }, 15_000],
  ] as const)('%s', (_, outcome, change, expected) => {
    const verdict = decideVerdict(outcome, { ...CONTEXT, ...change });
    expect(verdict).toEqual({ kind: 'failed', retryAfterMs: expected });
  });
});
