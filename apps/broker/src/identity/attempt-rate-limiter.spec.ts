import { AttemptRateLimiter } from './attempt-rate-limiter.js';

describe('the attempt rate limiter', () => {
  it('limits the attempts of each address, and refills over time', () => {
    let now = 0;
    const limiter = new AttemptRateLimiter(2, () => new Date(now));
    expect([
      limiter.tryAcquire('a'),
      limiter.tryAcquire('a'),
      limiter.tryAcquire('a'),
      limiter.tryAcquire('b'),
    ]).toEqual([true, true, false, true]);
    now = 29_999;
    expect(limiter.tryAcquire('a')).toBe(false);
    now = 30_001;
    expect([limiter.tryAcquire('a'), limiter.tryAcquire('a')]).toEqual([true, false]);
  });

  it('never refills beyond the attempts of one minute', () => {
    let now = 0;
    const limiter = new AttemptRateLimiter(1, () => new Date(now));
    expect(limiter.tryAcquire('a')).toBe(true);
    now = 3_600_000;
    expect([limiter.tryAcquire('a'), limiter.tryAcquire('a')]).toEqual([true, false]);
  });

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
