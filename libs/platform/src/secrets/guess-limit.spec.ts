import { describe, expect, it } from '@jest/globals';
import { GuessLimit } from './guess-limit.js';

const OPTIONS = {
  freePerClient: 2,
  freePerAddress: 4,
  firstPauseMs: 1_000,
  longestPauseMs: 4_000,
  capacity: 6,
};
const NOW = 1_000_000;

function afterFailures(count: number, clientOf: (index: number) => string = () => 'part1'): GuessLimit {
  const limit = new GuessLimit(OPTIONS);
  for (let index = 0; index < count; index += 1) limit.failed(clientOf(index), '10.0.0.1', NOW);
  return limit;
}

describe('GuessLimit', () => {
  it.each([
    [0, 0],
    [2, 0],
    [3, 1_000],
    [4, 2_000],
    [5, 4_000],
    [50, 4_000],
  ])('after %i failures of a client pauses it for %i ms', (failures, pause) => {
    expect(afterFailures(failures).pauseFor('part1', '10.0.0.1', NOW)).toBe(pause);
  });

  it('lets a pause pass', () => {
    const limit = afterFailures(3);
    expect(limit.pauseFor('part1', '10.0.0.1', NOW + 400)).toBe(600);
    expect(limit.pauseFor('part1', '10.0.0.1', NOW + 1_000)).toBe(0);
  });

  it('never pauses a client at another address', () => {
    expect(afterFailures(50).pauseFor('part1', '10.0.0.2', NOW)).toBe(0);
  });

  it('pauses an address that tries many clients', () => {
    const limit = afterFailures(5, (index) => `part${index}`);
    expect(limit.pauseFor('part99', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('starts a client afresh with the right secret, but not its address', () => {
    const limit = afterFailures(4);
    limit.succeeded('part1', '10.0.0.1');
    expect(limit.pauseFor('part1', '10.0.0.1', NOW)).toBe(0);
    limit.failed('part2', '10.0.0.1', NOW);
    expect(limit.pauseFor('part1', '10.0.0.1', NOW)).toBe(1_000);
  });

  it('keeps no more than its capacity, and forgets the longest unused', () => {
    const limit = afterFailures(3);
    for (let index = 0; index < 100; index += 1) limit.failed(`other${index}`, `10.0.1.${index}`, NOW);
    expect(limit.size).toBe(6);
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
