import { evaluateSubscriber, silenceLimits, type SubscriberObservation } from './subscriber-silence.js';

const NOW = new Date('2026-03-02T00:10:00.000Z');
const LIMITS = { responseMs: 40_000, heartbeatMs: 180_000 };
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

const evaluate = (observation: Partial<SubscriberObservation>) =>
  evaluateSubscriber(
    {
      watchedSince: ago(600),
      respondedAt: ago(0),
      failure: undefined,
      newestHeartbeatAt: ago(30),
      ...observation,
    },
    LIMITS,
    NOW,
  );

describe('the subscriber', () => {
  it('is alive while its newest verified heartbeat is not old', () => {
    expect(evaluate({ newestHeartbeatAt: ago(180) })).toEqual({ status: 'alive' });
  });

  it('is silent when it does not respond for longer than the limit, and not after one failure', () => {
    expect(evaluate({ failure: 'ECONNREFUSED', respondedAt: ago(40) })).toEqual({ status: 'awaited' });
    expect(evaluate({ failure: 'ECONNREFUSED', respondedAt: ago(41) })).toEqual({
      status: 'silent',
      detail: 'The subscriber has not responded since 2026-03-02T00:09:19.000Z: ECONNREFUSED.',
    });
    const never = { failure: 'status 503', respondedAt: undefined };
    expect(evaluate({ ...never, watchedSince: ago(20) })).toEqual({ status: 'awaited' });
    expect(evaluate({ ...never, watchedSince: ago(60) })).toMatchObject({ status: 'silent' });
  });

  it('is silent when it responds with an old heartbeat, or with none', () => {
    expect(evaluate({ newestHeartbeatAt: ago(181) })).toMatchObject({
      status: 'silent',
      detail: expect.stringMatching(/no heartbeat since that of 2026-03-02T00:06:59/),
    });
    expect(evaluate({ newestHeartbeatAt: undefined })).toMatchObject({
      detail: 'The subscriber responds, and has verified no heartbeat yet.',
    });
  });

  it('has the whole limit after the start, for a heartbeat of before it is old', () => {
    expect(evaluate({ newestHeartbeatAt: ago(3_600), watchedSince: ago(170) })).toEqual({
      status: 'awaited',
    });
  });
});

it.each([
  [60_000, { responseMs: 40_000, heartbeatMs: 180_000 }],
  // A restart of the subscriber takes some seconds.
  [100, { responseMs: 10_000, heartbeatMs: 30_000 }],
])('with a heartbeat every %d ms the limits are %o', (heartbeatIntervalMs, limits) => {
  const intervalMs = Math.min(heartbeatIntervalMs, 15_000);
  const timeoutMs = Math.min(heartbeatIntervalMs, 5_000);
  expect(silenceLimits({ intervalMs, timeoutMs, heartbeatIntervalMs })).toEqual(limits);
});
