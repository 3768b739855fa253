import { type AppHealth, ReadinessLines } from './readiness-watcher.js';

/** What each reading prints: one line or none. */
function record(readings: readonly AppHealth[]): (string | undefined)[] {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const readiness = new ReadinessLines({ writeLine: print, writeAlert: print });
  return readings.map((health) => {
    readiness.record('poller', health);
    return lines.pop();
  });
}

const ready: AppHealth = { checks: { redis: { status: 'up' } }, faults: [] };
const down: AppHealth = {
  checks: { redis: { status: 'down', message: 'Redis refuses writes' } },
  faults: [],
};

it('shows the failing checks once when they last, and the recovery', () => {
  const shown = record([ready, down, down, down, ready, ready]);
  expect(shown).toEqual([
    undefined,
    undefined,
    '!! poller          not ready                    redis: Redis refuses writes',
    undefined,
    '   poller          ready',
    undefined,
  ]);
});

it('shows a check again when its reason changes, but not when only a number in it does', () => {
  const failing = (message: string): AppHealth => ({
    checks: { gateway: { status: 'down', message } },
    faults: [],
  });
  const reasons = ['no response for 9 s', 'no response for 10 s', 'no response for 11 s', 'password refused'];
  expect(record(reasons.map(failing))).toEqual([
    undefined,
    '!! poller          not ready                    gateway: no response for 10 s',
    undefined,
    '!! poller          not ready                    gateway: password refused',
  ]);
});

it('shows no check that a fault explains', () => {
  const explained = { ...down, faults: [{ detail: 'Redis refuses writes' }] };
  expect(record([explained, explained, explained])).toEqual([undefined, undefined, undefined]);
});
