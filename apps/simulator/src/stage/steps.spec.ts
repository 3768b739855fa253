import { PassThrough } from 'node:stream';
import { steppedClock } from './clock.js';
import { NoMoreStepsError, Steps } from './steps.js';

let input: PassThrough;
let steps: Steps;
const never = new AbortController().signal;

beforeEach(() => {
  input = new PassThrough();
  steps = new Steps(input);
});

afterEach(() => steps.close());

describe('steps', () => {
  it('lets one wait end with each line, in order, and moves the clock by the wait', async () => {
    const clock = steppedClock(steps, new Date('2026-03-01T00:00:00Z'));
    const ended: string[] = [];
    const first = clock.wait(60_000, never).then(() => ended.push('first'));
    const second = clock.wait(1_000, never).then(() => ended.push('second'));
    input.write('\n');
    await first;
    expect(ended).toEqual(['first']);
    input.write('\n');
    await second;
    expect(clock.now()).toEqual(new Date('2026-03-01T00:01:01Z'));
  });

  it('keeps lines that come early', async () => {
    input.write('\n'.repeat(3));
    for (let step = 0; step < 3; step += 1) await steps.next(never);
  });

  it('reads thousands of lines no faster than they are used, and loses none', async () => {
    input.end('\n'.repeat(2_500));
    for (let step = 0; step < 2_500; step += 1) await steps.next(never);
    await expect(steps.next(never)).rejects.toThrow(NoMoreStepsError);
  });

  it('ends a wait when the input is closed', async () => {
    const wait = steps.next(never);
    input.end();
    await expect(wait).rejects.toThrow(NoMoreStepsError);
  });

  it('ends a wait with the play, and gives its step to the next', async () => {
    const curtain = new AbortController();
    const given = steps.next(curtain.signal);
    const next = steps.next(never);
    curtain.abort(new Error('the end'));
    await expect(given).rejects.toThrow('the end');
    input.write('\n');
    await next;
  });
});
