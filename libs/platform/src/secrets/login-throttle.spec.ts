import { LOGIN_LIMITS, LoginThrottle } from './login-throttle.js';

const OPTIONS = {
  freePerClient: 2,
  freePerAddress: 4,
  minPauseMs: 1_000,
  maxPauseMs: 4_000,
  forgetOneMs: 10_000,
  capacity: 6,
};
const NOW = 1_000_000;

function afterFailures(count: number, clientOf: (index: number) => string = () => 'part1'): LoginThrottle {
  const throttle = new LoginThrottle(OPTIONS);
  for (let index = 0; index < count; index += 1) throttle.failed(clientOf(index), '10.0.0.1', NOW);
  return throttle;
}

describe('LoginThrottle', () => {
  it('pauses a client after its free failures', () => {
    expect(afterFailures(2).pauseFor('part1', '10.0.0.1', NOW)).toBe(0);
    expect(afterFailures(3).pauseFor('part1', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('never pauses a client at another address', () => {
    expect(afterFailures(50).pauseFor('part1', '10.0.0.2', NOW)).toBe(0);
  });

  it('pauses an address that tries many clients', () => {
    const throttle = afterFailures(5, (index) => `part${index}`);
    expect(throttle.pauseFor('part99', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('does not pause an address for one client that keeps failing', () => {
    const throttle = afterFailures(50);
    expect(throttle.pauseFor('part2', '10.0.0.1', NOW)).toBe(0);
    // Two of its failures were free and count for the address, whose limit is four.
    for (const other of ['part2', 'part3']) throttle.failed(other, '10.0.0.1', NOW);
    expect(throttle.pauseFor('part4', '10.0.0.1', NOW)).toBe(0);
    throttle.failed('part4', '10.0.0.1', NOW);
    expect(throttle.pauseFor('part5', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('forgets old failures of an address', () => {
    const throttle = afterFailures(9, (index) => `part${index}`);
    expect(throttle.pauseFor('part99', '10.0.0.1', NOW)).toBe(4_000);
    throttle.failed('part98', '10.0.0.1', NOW + 60_000);
    expect(throttle.pauseFor('part99', '10.0.0.1', NOW + 60_000)).toBe(0);
  });

  it('forgets the failures of a client that succeeds, but not those of its address', () => {
    const throttle = afterFailures(5, (index) => `part${index % 3}`);
    throttle.failed('part0', '10.0.0.1', NOW);
    throttle.failed('part0', '10.0.0.1', NOW);
    expect(throttle.clientPauseFor('part0', '10.0.0.1', NOW)).toBe(2_000);
    throttle.succeeded('part0', '10.0.0.1');
    expect(throttle.clientPauseFor('part0', '10.0.0.1', NOW)).toBe(0);
    expect(throttle.pauseFor('part0', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('keeps no more than its capacity, and many client names do not evict an address', () => {
    const throttle = afterFailures(5, (index) => `part${index}`);
    for (let index = 0; index < 100; index += 1) throttle.clientFailed(`other${index}`, '10.0.0.1', NOW);
    expect(throttle.size).toBe(7);
    expect(throttle.pauseFor('part1', '10.0.0.1', NOW)).toBe(1_000);
    for (let index = 0; index < 100; index += 1) throttle.failed(`other${index}`, `10.0.1.${index}`, NOW);
    expect(throttle.size).toBe(12);
    expect(throttle.pauseFor('part1', '10.0.0.1', NOW)).toBe(0);
  });

  it('separates the pause for own failures from the pause for other clients at the address', () => {
    const throttle = afterFailures(5, (index) => `part${index}`);
    expect(throttle.pauseFor('part9', '10.0.0.1', NOW)).toBe(1_000);
    expect(throttle.clientPauseFor('part9', '10.0.0.1', NOW)).toBe(0);
    for (let count = 0; count < 3; count += 1) throttle.clientFailed('part9', '10.0.0.1', NOW);
    expect(throttle.clientPauseFor('part9', '10.0.0.1', NOW)).toBe(1_000);
    expect(throttle.pauseFor('part8', '10.0.0.1', NOW)).toBe(1_000);
  });
});

describe('the default limits', () => {
  /** Guesses wrongly as soon as each pause ends. @returns the number of guesses */
  function countGuesses(minutes: number, clientOf: (index: number) => string): number {
    const throttle = new LoginThrottle(LOGIN_LIMITS);
    let count = 0;
    for (let now = NOW; now < NOW + minutes * 60_000;) {
      const pause = throttle.pauseFor(clientOf(count), '10.0.0.1', now);
      if (pause === 0) throttle.failed(clientOf(count++), '10.0.0.1', now);
      now += Math.max(pause, 10);
    }
    return count;
  }

  it.each<[string, (index: number) => string, number]>([
    ['at one client', () => 'part1', 5],
    ['at a new client each time', (index) => `part${index}`, 50],
  ])('allow guesses %s about once a minute in the long run', (_who, clientOf, free) => {
    const guesses = countGuesses(24 * 60, clientOf);
    expect(guesses).toBeGreaterThan(0);
    expect(guesses).toBeLessThanOrEqual(24 * 60 + free + 10);
  });
});
