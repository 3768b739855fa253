import type { ProblemChange, ProblemDelivery, ProblemDetail, SilenceRow } from '../../api/operations.js';
import { foldRepeats, toHistory } from './problem-history.js';

const at = (minute: number): string => `2026-11-30T10:${String(minute).padStart(2, '0')}:00.000Z`;

const NOW = Date.parse(at(30));

let number = 0;
const change = (minute: number, kind: string, rest: Partial<ProblemChange> = {}): ProblemChange => ({
  number: ++number,
  at: at(minute),
  kind,
  severity: 'warning',
  ...rest,
});

const delivery = (minute: number, rest: Partial<ProblemDelivery> = {}): ProblemDelivery => ({
  eventId: 'e1',
  sink: 'treasury',
  state: 'delivered',
  kind: 'alert',
  severity: 'warning',
  addedAt: at(minute),
  attempts: 1,
  ...rest,
});

const silence = (rest: Partial<SilenceRow>): SilenceRow => ({
  id: 's1',
  state: 'active',
  matchers: {},
  startsAt: at(5),
  endsAt: at(50),
  author: 'desk',
  comment: 'Planned.',
  hides: [],
  hidesMore: false,
  ...rest,
});

const history = (parts: Partial<ProblemDetail>) =>
  toHistory(
    { kind: 'margin', changes: [], deliveries: [], silences: [], ...parts } as unknown as ProblemDetail,
    NOW,
  );

it('merges changes, messages and silences in their order', () => {
  const titles = history({
    changes: [
      change(1, 'opened', { level: 'WARNING', figures: { tradingMargin: '5.00' }, eventId: 'e1' }),
      change(9, 'resolved'),
    ],
    deliveries: [delivery(2, { acceptedAt: at(2) })],
    silences: [silence({})],
  }).map(({ title, measure }) => [title, measure]);
  expect(titles).toEqual([
    ['Opened, WARNING', '5.00'],
    ['Alert accepted', undefined],
    ['Silenced by desk', undefined],
    ['Resolved by an event', undefined],
  ]);
});

it('says when a problem that was acknowledged is open again', () => {
  const titles = history({
    changes: [
      change(1, 'opened', { level: 'WARNING' }),
      change(2, 'acknowledged', { author: 'desk', level: 'WARNING' }),
      change(3, 'worsened', { level: 'WARNING' }),
      change(4, 'worsened', { level: 'BREACHED', severity: 'critical' }),
      change(5, 'worsened', { level: 'BREACHED', severity: 'critical' }),
      change(6, 'closed', { author: 'desk' }),
    ],
  }).map(({ title }) => title);
  expect(titles).toEqual([
    'Opened, WARNING',
    'Acknowledged by desk',
    'Worse, WARNING',
    'Worse and open again, BREACHED',
    'Worse, BREACHED',
    'Closed by desk',
  ]);
});

it('shows the end of a silence once it has ended', () => {
  const ended = silence({ endsAt: at(20), endedBy: 'night', endComment: 'Over.' });
  expect(history({ silences: [ended] }).map(({ title, comment }) => [title, comment])).toEqual([
    ['Silenced by desk', 'Planned.'],
    ['night ended the silence', 'Over.'],
  ]);
});

it.each<[string, readonly Partial<ProblemDelivery>[], string, string, string]>([
  [
    'that all accepted',
    [
      { acceptedAt: at(3), lastOutcome: 'delivered, status 204' },
      { sink: 'desk', acceptedAt: at(3) },
    ],
    'Alert accepted by both sinks',
    'good',
    'accepted: delivered, status 204',
  ],
  [
    'that one refused',
    [
      { state: 'parked', lastOutcome: 'rejected, status 400' },
      { sink: 'desk', acceptedAt: at(3) },
    ],
    'Alert accepted by 1 of 2 sinks',
    'critical',
    'refused after 1 attempt: rejected, status 400',
  ],
  [
    'whose attempts fail',
    [{ state: 'pending', attempts: 3, lastOutcome: 'timeout' }],
    'Alert not accepted yet',
    'critical',
    'not accepted after 3 attempts: timeout',
  ],
  [
    'that waits',
    [{ state: 'pending', attempts: 0 }],
    'Alert not accepted yet',
    'warning',
    'waits for its turn',
  ],
  [
    'that is withheld',
    [{ state: 'withheld', withheld: 'silenced', attempts: 0 }],
    'Alert withheld',
    'muted',
    'withheld by a silence',
  ],
])('describes a message %s', (_, deliveries, title, tone, text) => {
  const entries = history({ deliveries: deliveries.map((rest) => delivery(2, rest)) });
  expect(entries).toEqual([expect.objectContaining({ title, tone })]);
  expect(entries[0]?.sinks?.find(({ sink }) => sink === 'treasury')?.text).toBe(text);
});

it('keeps reminders apart from the alert of the same event', () => {
  const reminder = delivery(8, { kind: 'reminder', eventId: 'r1', acceptedAt: at(8) });
  const titles = history({ deliveries: [reminder, delivery(2, { acceptedAt: at(2) })] }).map(
    ({ title }) => title,
  );
  expect(titles).toEqual(['Alert accepted', 'Reminder accepted']);
});

it('shows reminders as one message, although each sink has one with its own id', () => {
  const deliveries = [
    delivery(8, { kind: 'reminder', eventId: 'r1', acceptedAt: at(8) }),
    delivery(8, { kind: 'reminder', eventId: 'r2', sink: 'desk', acceptedAt: at(8) }),
    delivery(9, { kind: 'reminder', eventId: 'r3', acceptedAt: at(9) }),
  ];
  expect(history({ deliveries }).map(({ title }) => title)).toEqual([
    'Reminder accepted by both sinks',
    'Reminder accepted',
  ]);
});

it('keeps alerts of two events apart', () => {
  const changes = [change(1, 'opened', { eventId: 'e1' }), change(2, 'worsened', { eventId: 'e2' })];
  const deliveries = [
    delivery(2, { acceptedAt: at(2) }),
    delivery(2, { eventId: 'e2', sink: 'desk', acceptedAt: at(2) }),
  ];
  const messages = history({ changes, deliveries }).filter(({ sinks }) => sinks !== undefined);
  expect(messages.map(({ sinks = [] }) => sinks.length)).toEqual([1, 1]);
});

it('folds long runs between the first and the last', () => {
  const entries = history({
    changes: [
      change(1, 'opened'),
      ...[2, 3, 4, 5, 6, 7].map((minute) => change(minute, 'updated')),
      change(8, 'worsened'),
      change(9, 'worsened'),
    ],
  });
  const groups = foldRepeats(entries);
  expect(groups.map(({ entries: shown, folded }) => [shown.length, folded.length])).toEqual([
    [1, 0],
    [2, 4],
    [2, 0],
  ]);
});
