import { PassThrough } from 'node:stream';
import { ownClock, realClock, steppedClock } from './clock.js';
import { Steps } from './steps.js';

const START = new Date('2026-03-01T00:00:00Z');
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('clocks', () => {
  it('at infinite speed a wait takes no time and moves the clock by as much as was asked', async () => {
    const clock = ownClock(START, Infinity);
    await clock.wait(DAY_MS, never);
    expect(clock.now()).toEqual(new Date('2026-03-02T00:00:00Z'));
  });

  it('a clock of its own runs at its speed, never back', async () => {
    const clock = ownClock(START, 1_000_000);
    const before = clock.now().getTime();
    await clock.wait(60_000, never); // a minute of the market
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(before).toBeGreaterThanOrEqual(START.getTime());
  });

  it('the real clock stays real at any speed', async () => {
    const clock = realClock(1_000);
    const before = Date.now();
    await clock.wait(DAY_MS / 1_000_000, never);
    const now = clock.now().getTime();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('a wait ends with the play', async () => {
    const curtain = new AbortController();
    const waits = [ownClock(START, 1), realClock(1), steppedClock(new Steps(new PassThrough()))].map(
      (clock) => clock.wait(DAY_MS, curtain.signal),
    );
    curtain.abort(new Error('the end'));
    for (const { status } of await Promise.allSettled(waits)) expect(status).toBe('rejected');
  });
});
