import type { DeliveryDetail, EventDetail } from '../../../api/operations.js';
import { describePath, totalMs } from './event-path.js';

function delivery(sink: string, change: Partial<DeliveryDetail> = {}): DeliveryDetail {
  return {
    eventId: 'e1',
    sink,
    state: 'delivered',
    kind: 'alert',
    severity: 'critical',
    type: 't',
    subject: 's',
    participant: 'ALPHA',
    addedAt: '2026-03-02T06:00:01.110Z',
    endedAt: '2026-03-02T06:00:01.300Z',
    attempts: 1,
    replayed: false,
    attemptLog: [],
    hasEarlierAttempts: false,
    ...change,
  };
}

const message = { appendedAt: '2026-03-02T06:00:01.090123456Z' } as EventDetail['message'] & object;
const detail = {
  id: 'e1',
  event: { detectedat: '2026-03-02T06:00:01.007Z', signedat: '2026-03-02T06:00:01.050Z' },
  message,
  archivedAt: '2026-03-02T06:00:01.100Z',
  deliveries: [delivery('treasury'), delivery('log', { endedAt: '2026-03-02T06:00:01.200Z' })],
};
const show = (change: Partial<Parameters<typeof describePath>[0]>): string[] =>
  describePath({ ...detail, ...change }).map(
    ({ name, at, afterMs, instead, state }) =>
      `${name} ${at === undefined ? (instead ?? '') : `+${afterMs ?? 0}`} ${state}`,
  );

it('has every step, its time, and the time since the last one', () => {
  expect(show({})).toEqual([
    'Detected +0 done',
    'Queued between detected and signed done',
    'Signed +43 done',
    'On the bus +40 done',
    'Verified between on the bus and archived done',
    'Archived +10 done',
    'Delivered +100 done',
  ]);
  expect(totalMs(describePath(detail))).toBe(193);
  expect(describePath(detail).at(-1)?.meaning).toBe(
    'treasury and log accepted it; the time is that of the first.',
  );
});

it('shows that two clocks differ', () => {
  const event = { ...detail.event, signedat: '2026-03-02T06:00:02.000Z' };
  expect(show({ event })).toContain('On the bus +-910 done');
});

it('a fault of the subscriber itself was on no bus', () => {
  expect(describePath({ ...detail, message: undefined }).map(({ name }) => name)).toEqual([
    'Detected',
    'Archived',
    'Delivered',
  ]);
});

it.each([
  [[], 'Delivered nothing to deliver none'],
  [
    [delivery('a', { state: 'pending', attempts: 0, endedAt: undefined as never })],
    'Delivered waiting waiting',
  ],
  [[delivery('a'), delivery('b', { state: 'pending', attempts: 0 })], 'Delivered +200 waiting'],
  [[delivery('a', { state: 'parked', endedAt: undefined as never })], 'Delivered refused failed'],
  [
    [delivery('a', { state: 'pending', lastOutcome: 'status 500', endedAt: undefined as never })],
    'Delivered failing failed',
  ],
  [[delivery('a', { state: 'withheld' })], 'Delivered withheld none'],
  [[delivery('a', { state: 'withheld', withheld: 'grouped' })], 'Delivered in a digest none'],
  [[delivery('a', { eventId: 'a reminder about it' })], 'Delivered nothing to deliver none'],
])('of %# the last step is right', (deliveries, expected) => {
  expect(show({ deliveries }).at(-1)).toBe(expected);
  expect(totalMs(describePath({ ...detail, deliveries }))).toBeUndefined();
});

it('a time that cannot be read is left out', () => {
  expect(show({ event: { detectedat: 5, signedat: 'soon' } }).slice(0, 3)).toEqual([
    'Detected  done',
    'Queued between detected and signed done',
    'Signed  done',
  ]);
});
