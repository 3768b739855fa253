import { createLogger } from '@ssb/platform';
import { FailureLog, failureKind } from './failure-log.js';

class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

function recorded(): {
  failures: FailureLog;
  lines: { count?: number; msg: string }[];
  pass: (ms: number) => void;
} {
  const lines: { count?: number; msg: string }[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ name: 'spec', level: 'info', format: 'json', stream });
  let now = 0;
  return { failures: new FailureLog(log, () => now), lines, pass: (ms) => (now += ms) };
}

describe('FailureLog', () => {
  it('logs a kind once, then after 30 s, 60 s, 120 s with the count', () => {
    const { failures, lines, pass } = recorded();
    for (let second = 0; second <= 220; second += 10) {
      failures.failed('prudential', new RefusedError(403));
      pass(10_000);
    }
    expect(lines.map(({ count }) => count)).toEqual([1, 4, 10, 22]);
  });

  it('tells kinds apart by class and status, and activities from each other', () => {
    const { failures, lines } = recorded();
    failures.failed('prudential', new RefusedError(403));
    failures.failed('prudential', new RefusedError(401));
    failures.failed('settlement', new RefusedError(403));
    failures.failed('settlement', new RefusedError(403));
    expect(lines).toHaveLength(3);
  });

  it('says once when it is over, and begins anew', () => {
    const { failures, lines } = recorded();
    failures.failed('prudential', new RefusedError(403));
    failures.succeeded('prudential');
    failures.succeeded('prudential');
    failures.failed('prudential', new RefusedError(403));
    expect(lines.map(({ msg }) => msg)).toEqual([
      'prudential failed (1 times so far): refused with 403',
      'prudential succeeds again after 1 failures',
      'prudential failed (1 times so far): refused with 403',
    ]);
  });

  it.each([
    [new RefusedError(403), 'RefusedError 403'],
    [new TypeError('x'), 'TypeError'],
    ['text', 'unknown'],
  ])('names the kind of %p', (error, expected) => {
    expect(failureKind(error)).toBe(expected);
  });
});
