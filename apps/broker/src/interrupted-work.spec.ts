import { createLogger } from '@ssb/platform';
import { InterruptedWork } from './interrupted-work.js';

const LIMIT_MS = 400;
const REST_MS = 100 * LIMIT_MS;

/** @param processor its clock; one that goes with the wall's unless told */
function work(processor: () => number = () => performance.now()) {
  const lines: string[] = [];
  const clock = { now: 0 };
  const log = createLogger({
    name: 'test',
    level: 'warn',
    format: 'json',
    stream: { write: (line) => void lines.push(line) },
  });
  return { limit: new InterruptedWork(LIMIT_MS, () => clock.now, log, processor), clock, lines };
}

const forEver = (): never => {
  for (;;);
};

describe('work within a limit of time', () => {
  it('gives what it came to, also when that is nothing', () => {
    const { limit } = work();
    expect(limit.run('a', () => 7)).toEqual({ value: 7 });
    expect(limit.run('a', () => undefined)).toEqual({ value: undefined });
  });

  it('fails as it would without', () => {
    const failure = new RangeError('deep');
    const { limit, lines } = work();
    const run = (): unknown =>
      limit.run('a', () => {
        throw failure;
      });
    expect(run).toThrow(failure);
    expect(limit.run('a', () => 1)).toEqual({ value: 1 });
    expect(lines).toEqual([]);
  });

  it.each([
    ['a loop', forEver],
    ['a regular expression', () => /^(a+)+$/u.test(`${'a'.repeat(60)}b`)],
  ])('is ended when it takes too long, and its kind rests: %s', (_, endless) => {
    const { limit, clock, lines } = work();
    expect(limit.run('slow', endless)).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { limitMs: LIMIT_MS, restMs: REST_MS },
    ]);
    clock.now = REST_MS - 1;
    expect(limit.run('slow', () => 1)).toBeUndefined();
    expect(limit.run('another', () => 1)).toEqual({ value: 1 });
    clock.now = REST_MS;
    expect(limit.run('slow', () => 1)).toEqual({ value: 1 });
  });

  it('is begun once more when the machine had no time for it', () => {
    const { limit, lines } = work(() => 0);
    let begun = 0;
    const value = limit.run('a', () => {
      begun += 1;
      return begun === 1 ? forEver() : begun;
    });
    expect(value).toEqual({ value: 2 });
    expect(lines).toEqual([]);
  });

  it('is begun no third time', () => {
    const { limit, lines } = work(() => 0);
    let begun = 0;
    const run = () =>
      limit.run('slow', () => {
        begun += 1;
        return forEver();
      });
    expect([run(), run(), begun]).toEqual([undefined, undefined, 2]);
    expect(lines).toHaveLength(1);
  });
});
