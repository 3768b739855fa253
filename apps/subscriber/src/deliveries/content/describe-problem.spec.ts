import type { ProblemState } from '../../domain/delivery-kind.js';
import type { DescribedMessage } from './describe-message.js';
import { describeProblem } from './describe-problem.js';
import type { ProblemPart } from './message-body.js';

const EVENT = {
  id: 'breach',
  type: 'settlementbus.margin.breached.v1',
  participant: 'ALPHA',
  time: '2026-03-02T10:15:30+08:00',
  data: { tradingMargin: '-60000.5' },
};
const PROBLEM: ProblemPart = {
  kind: 'margin',
  since: '2026-03-01T08:00:00+08:00',
  worsened: 1,
  figures: { tradingMargin: '-60000.5' },
  worstFigures: { tradingMargin: '-90000' },
};
const JANE = { at: '2026-03-02T02:20:00.000Z', by: 'jane' };
const BREACH = 'CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD';

const own = (word: string, details: object): string =>
  JSON.stringify({ type: `settlementbus.delivery.${word}.v1`, data: { ...details, event: EVENT } });

const message = (
  problemState: ProblemState,
  present: Partial<ProblemPart>,
  change: Partial<DescribedMessage> = {},
): DescribedMessage => ({
  eventId: 'message',
  kind: 'alert',
  severity: 'critical',
  marks: [],
  problemId: 'problem',
  problemState,
  problem: { ...PROBLEM, state: problemState, ...present },
  subject: 'ALPHA/prudential',
  text: JSON.stringify(EVENT),
  ...change,
});

it('is the same from an alert, a reminder and an escalation', () => {
  const about = (change: Partial<DescribedMessage>) =>
    describeProblem(message('open', { reminders: 2 }, change));
  const texts = [
    about({}),
    about({ kind: 'reminder', text: own('reminder', { number: 2, problem: PROBLEM }) }),
    about({ kind: 'escalation', text: own('escalation', { number: 1, problem: PROBLEM }) }),
  ];
  for (const each of texts) expect(each).toEqual(texts[0]);
  expect(texts[0]).toMatchObject({ title: BREACH, eventId: 'breach' });
  expect(texts[0]?.figures.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Trading margin at worst', 'Since', 'Became worse', 'Reminders']),
  );
});

it.each<[string, DescribedMessage, string, RegExp]>([
  ['is open', message('open', {}), BREACH, /^The trading margin/],
  [
    'is acknowledged',
    message('acknowledged', { acknowledged: JANE }),
    `ACKNOWLEDGED, ${BREACH}`,
    /^jane knows of this\./,
  ],
  [
    'was acknowledged by the message',
    message(
      'acknowledged',
      { acknowledged: JANE },
      { kind: 'notice', text: own('acknowledged', { problem: { ...PROBLEM, acknowledged: JANE } }) },
    ),
    `ACKNOWLEDGED, ${BREACH}`,
    /^jane knows of this\./,
  ],
  [
    'is resolved',
    message('resolved', { acknowledged: JANE }, { kind: 'resolved' }),
    BREACH.replace('CRITICAL', 'RESOLVED'),
    /^The trading margin/,
  ],
  [
    'was closed',
    message('closed', { closed: JANE }, { kind: 'notice', text: own('closed', { problem: PROBLEM }) }),
    `CLOSED, ${BREACH}`,
    /^jane has closed this\./,
  ],
  ['has ended after the event', message('open', { state: 'resolved' }), BREACH, /^The trading margin/],
  [
    'is silenced',
    message(
      'open',
      {},
      {
        kind: 'notice',
        text: own('silence-began', {
          problem: PROBLEM,
          silence: { endsAt: JANE.at, author: 'joe', comment: 'known' },
        }),
      },
    ),
    `SILENCE BEGAN, ${BREACH}`,
    /^joe has silenced this/,
  ],
])('a problem that %s', (_, described, title, explanation) => {
  const about = describeProblem(described);
  expect(about.title).toBe(title);
  expect(about.explanation).toMatch(explanation);
});
