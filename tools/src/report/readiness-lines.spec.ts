import { plain } from './event-lines.js';
import { type AppHealth, ReadinessLines } from './readiness-lines.js';

const ready: AppHealth = { checks: { redis: { status: 'up' } }, faults: [] };
const down: AppHealth = {
  checks: { redis: { status: 'down', message: 'Redis refuses writes' } },
  faults: [],
};

it('shows the failing checks once when they last, and the recovery', () => {
  const lines = new ReadinessLines(plain);
  const shown = [ready, down, down, down, ready, ready].map((health) => lines.record('poller', health));
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
  const lines = new ReadinessLines(plain);
  const failing = (message: string): AppHealth => ({
    checks: { gateway: { status: 'down', message } },
    faults: [],
  });
  const reasons = ['no answer for 9 s', 'no answer for 10 s', 'no answer for 11 s', 'password refused'];
  expect(reasons.map((reason) => lines.record('poller', failing(reason)))).toEqual([
    undefined,
    '!! poller          not ready                    gateway: no answer for 10 s',
    undefined,
    '!! poller          not ready                    gateway: password refused',
  ]);
});

it('shows no check that a fault explains', () => {
  const lines = new ReadinessLines(plain);
  const explained = { ...down, faults: [{ detail: 'Redis refuses writes' }] };
  expect([1, 2, 3].map(() => lines.record('poller', explained))).toEqual([undefined, undefined, undefined]);
});
