import { createLogger } from '@ssb/platform';
import { FailureLog, failureKind } from './failure-log.js';

class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

interface Line {
  readonly msg: string;
  readonly activity?: string;
  readonly count?: number;
  readonly failures?: number;
}

function createFailureLog(): { failures: FailureLog; lines: Line[]; advance: (ms: number) => void } {
  const lines: Line[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  const log = createLogger({ name: 'spec', level: 'info', format: 'json', stream });
  let now = 0;
  return { failures: new FailureLog(log, () => now), lines, advance: (ms) => (now += ms) };
}

describe('FailureLog', () => {
  it('logs a kind once, then after 30 s, 60 s, 120 s with the count', () => {
    const { failures, lines, advance } = createFailureLog();
    for (let second = 0; second <= 220; second += 10) {
      failures.failed('prudential', new RefusedError(403));
      advance(10_000);
    }
    expect(lines.map(({ count }) => count)).toEqual([1, 4, 10, 22]);
  });

  it('keeps kinds apart by class and status, and activities by name', () => {
    const { failures, lines } = createFailureLog();
    failures.failed('prudential', new RefusedError(403));
    failures.failed('prudential', new RefusedError(401));
    failures.failed('settlement', new RefusedError(403));
    failures.failed('settlement', new RefusedError(403));
    expect(lines).toHaveLength(3);
  });

  it('logs the recovery once, and then starts again', () => {
    const { failures, lines } = createFailureLog();
    failures.failed('prudential', new RefusedError(403));
    failures.succeeded('prudential');
    failures.succeeded('prudential');
    failures.failed('prudential', new RefusedError(403));
    expect(lines).toMatchObject([
      { activity: 'prudential', count: 1, msg: 'activity failed' },
      { activity: 'prudential', failures: 1, msg: 'activity recovered' },
      { activity: 'prudential', count: 1, msg: 'activity failed' },
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
