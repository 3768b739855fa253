import { GUESS_LIMITS, GuessLimit } from './guess-limit.js';

const OPTIONS = {
  freePerClient: 2,
  freePerAddress: 4,
  firstPauseMs: 1_000,
  longestPauseMs: 4_000,
  forgetOneMs: 10_000,
  capacity: 6,
};
const NOW = 1_000_000;

function afterFailures(count: number, clientOf: (index: number) => string = () => 'part1'): GuessLimit {
  const limit = new GuessLimit(OPTIONS);
  for (let index = 0; index < count; index += 1) limit.failed(clientOf(index), '10.0.0.1', NOW);
  return limit;
}

describe('GuessLimit', () => {
  it('pauses a client that failed more often than is free', () => {
    expect(afterFailures(2).pauseFor('part1', '10.0.0.1', NOW)).toBe(0);
    expect(afterFailures(3).pauseFor('part1', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('never pauses a client at another address', () => {
    expect(afterFailures(50).pauseFor('part1', '10.0.0.2', NOW)).toBe(0);
  });

  it('pauses an address that tries many clients', () => {
    const limit = afterFailures(5, (index) => `part${index}`);
    expect(limit.pauseFor('part99', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('pauses no address for one client that goes on failing there', () => {
    const limit = afterFailures(50);
    expect(limit.pauseFor('part2', '10.0.0.1', NOW)).toBe(0);
    // Its two free failures are what the address paid for: four are free.
    for (const other of ['part2', 'part3']) limit.failed(other, '10.0.0.1', NOW);
    expect(limit.pauseFor('part4', '10.0.0.1', NOW)).toBe(0);
    limit.failed('part4', '10.0.0.1', NOW);
    expect(limit.pauseFor('part5', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('forgets what an address did long ago', () => {
    const limit = afterFailures(9, (index) => `part${index}`);
    expect(limit.pauseFor('part99', '10.0.0.1', NOW)).toBe(4_000);
    limit.failed('part98', '10.0.0.1', NOW + 60_000);
    expect(limit.pauseFor('part99', '10.0.0.1', NOW + 60_000)).toBe(0);
  });

  it('starts a client afresh with the right secret, but not its address', () => {
    const limit = afterFailures(5, (index) => `part${index % 3}`);
    limit.failed('part0', '10.0.0.1', NOW);
    limit.failed('part0', '10.0.0.1', NOW);
    expect(limit.ownPauseFor('part0', '10.0.0.1', NOW)).toBe(2_000);
    limit.succeeded('part0', '10.0.0.1');
    expect(limit.ownPauseFor('part0', '10.0.0.1', NOW)).toBe(0);
    expect(limit.pauseFor('part0', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('keeps no more than its capacity, and no flood of names makes it forget an address', () => {
    const limit = afterFailures(5, (index) => `part${index}`);
    for (let index = 0; index < 100; index += 1) limit.ownFailed(`other${index}`, '10.0.0.1', NOW);
    expect(limit.size).toBe(7);
    expect(limit.pauseFor('part1', '10.0.0.1', NOW)).toBe(1_000);
    for (let index = 0; index < 100; index += 1) limit.failed(`other${index}`, `10.0.1.${index}`, NOW);
    expect(limit.size).toBe(12);
    expect(limit.pauseFor('part1', '10.0.0.1', NOW)).toBe(0);
  });

  it('tells what a client owes to its own failures from what it owes to others at its address', () => {
    const limit = afterFailures(5, (index) => `part${index}`);
    expect(limit.pauseFor('part9', '10.0.0.1', NOW)).toBe(1_000);
    expect(limit.ownPauseFor('part9', '10.0.0.1', NOW)).toBe(0);
    for (let count = 0; count < 3; count += 1) limit.ownFailed('part9', '10.0.0.1', NOW);
    expect(limit.ownPauseFor('part9', '10.0.0.1', NOW)).toBe(1_000);
    expect(limit.pauseFor('part8', '10.0.0.1', NOW)).toBe(1_000);
  });
});

describe('the limits in use', () => {
  /** Guesses as early as it may, and never right. @returns how often it was looked at in this time */
  function looks(minutes: number, clientOf: (index: number) => string): number {
    const limit = new GuessLimit(GUESS_LIMITS);
    let count = 0;
    for (let now = NOW; now < NOW + minutes * 60_000;) {
      const pause = limit.pauseFor(clientOf(count), '10.0.0.1', now);
      if (pause === 0) limit.failed(clientOf(count++), '10.0.0.1', now);
      now += Math.max(pause, 10);
    }
    return count;
  }

  it.each<[string, (index: number) => string, number]>([
    ['at one client', () => 'part1', 5],
    ['at ever new clients', (index) => `part${index}`, 50],
  ])('leave a guesser %s about one guess a minute in the long run', (_who, clientOf, free) => {
    const guesses = looks(24 * 60, clientOf);
    expect(guesses).toBeGreaterThan(0);
    expect(guesses).toBeLessThanOrEqual(24 * 60 + free + 10);
  });
});
