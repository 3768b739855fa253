import { AttemptRateLimiter } from './attempt-rate-limiter.js';

/** The buckets are those of libs/platform. */
describe('the attempt rate limiter', () => {
  it('counts an IPv6 /64 network as one client', () => {
    const limiter = new AttemptRateLimiter(1, () => new Date(0));
    expect(['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((each) => limiter.tryAcquire(each))).toEqual(
      [true, false, true],
    );
  });

  it('evicts only the least recently active network when it is full', () => {
    const limiter = new AttemptRateLimiter(1, () => new Date(0));
    expect([limiter.tryAcquire('first'), limiter.tryAcquire('second')]).toEqual([true, true]);
    for (let index = 0; index < 9_998; index += 1) limiter.tryAcquire(`other ${index}`);
    expect(limiter.tryAcquire('first')).toBe(false);
    limiter.tryAcquire('one more');
    expect([limiter.tryAcquire('first'), limiter.tryAcquire('second')]).toEqual([false, true]);
  });
});
