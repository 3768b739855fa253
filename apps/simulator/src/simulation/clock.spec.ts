import { PassThrough } from 'node:stream';
import { NoMoreStepsError, realClock, simulatedClock, steppedClock } from './clock.js';

const START = new Date('2026-03-01T00:00:00Z');
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

describe('clocks', () => {
  it('at infinite speed a wait takes no time and moves the clock by its duration', async () => {
    const clock = simulatedClock(START, Infinity);
    await clock.wait(DAY_MS, never);
    expect(clock.now()).toEqual(new Date('2026-03-02T00:00:00Z'));
  });

  it('a wait ends when the signal aborts', async () => {
    const shutdown = new AbortController();
    const { signal } = shutdown;
    const clocks = [simulatedClock(START, 1), realClock(1), steppedClock(new PassThrough(), signal)];
    const waits = clocks.map((clock) => clock.wait(DAY_MS, signal));
    shutdown.abort(new Error('aborted'));
    for (const wait of waits) await expect(wait).rejects.toThrow();
  });
});

describe('a stepped clock', () => {
  it('ends one wait per line, in order, and moves by its duration', async () => {
    const input = new PassThrough();
    const clock = steppedClock(input, never, START);
    const ended: string[] = [];
    const first = clock.wait(60_000, never).then(() => ended.push('first'));
    const second = clock.wait(1_000, never).then(() => ended.push('second'));
    input.write('\n');
    await first;
    expect(ended).toEqual(['first']);
    input.write('\n');
    await second;
    expect(clock.now()).toEqual(new Date('2026-03-01T00:01:01Z'));
    input.end();
  });

  it('uses thousands of lines that arrive before their waits, then rejects', async () => {
    const input = new PassThrough();
    const clock = steppedClock(input, never);
    input.end('\n'.repeat(2_500));
    for (let step = 0; step < 2_500; step += 1) await clock.wait(1, never);
    await expect(clock.wait(1, never)).rejects.toThrow(NoMoreStepsError);
  });
});
