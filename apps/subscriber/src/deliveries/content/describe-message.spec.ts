import { readdirSync, readFileSync } from 'node:fs';
import { EVENT_TYPES } from '@ssb/events';
import { describeMessage, type DescribedMessage, type HumanMessage } from './describe-message.js';
import { formatAmount, FORMATS } from './formats.js';
import type { ProblemPart } from './message-body.js';

const EXAMPLES = new URL('../../../../../../libs/events/examples/', import.meta.url);
const example = (type: string): string => readFileSync(new URL(`${type}.json`, EXAMPLES), 'utf8');
/** An example with other data. */
const changed = (type: string, data: object): string => {
  const event = JSON.parse(example(`settlementbus.${type}.v1`)) as { data: object };
  return JSON.stringify({ ...event, data: { ...event.data, ...data } });
};
const BREACHED = changed('margin.breached', {
  cause: 'calculation',
  previousLevel: 'WARNING',
  previousMargin: undefined,
});

const message = (change: Partial<DescribedMessage>): DescribedMessage => ({
  eventId: '6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10',
  kind: 'alert',
  severity: 'critical',
  marks: [],
  problemId: null,
  subject: 'ALPHA/prudential',
  text: BREACHED,
  ...change,
});

/** A body of its own, with the breach inside. */
const bodyOf = (word: string, data: object): string =>
  JSON.stringify({
    type: `settlementbus.delivery.${word}.v1`,
    data: { ...data, event: JSON.parse(BREACHED) as object },
  });
const PROBLEM = { kind: 'margin', since: '2026-03-02T10:15:30+08:00', worsened: 2 };
const JANE = { at: '2026-03-02T02:20:00.000Z', by: 'jane', comment: 'calling the bank' };
const JOE = { at: '2026-03-02T04:00:00.000Z', by: 'joe', comment: 'paid' };

const described = (word: string, problem: object = {}, data: object = {}): HumanMessage =>
  describeMessage(
    message({ kind: 'notice', text: bodyOf(word, { problem: { ...PROBLEM, ...problem }, ...data }) }),
  );
const lines = ({ figures }: HumanMessage): string[] =>
  figures.map(({ label, value }) => `${label}: ${value}`);
const linesOf = (type: string, data: object): string[] =>
  lines(describeMessage(message({ text: changed(type, data) })));

it('describes an example of every type, in one line each', () => {
  expect(readdirSync(EXAMPLES)).toHaveLength(EVENT_TYPES.length);
  for (const type of EVENT_TYPES) {
    const about = describeMessage(message({ text: example(type) }));
    const texts = [
      about.title,
      about.explanation,
      about.action,
      ...about.figures.flatMap(({ label, value }) => [label, value]),
    ];
    expect(texts.filter((text) => text === '' || /[\n{}`]|undefined/.test(text))).toEqual([]);
  }
});

it.each<[string, Partial<DescribedMessage>, string]>([
  ['an alert', {}, 'CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD'],
  [
    'the end of a problem',
    { kind: 'resolved', text: example('settlementbus.margin.restored.v1') },
    'RESOLVED ALPHA: Trading margin restored, 310,000 AUD',
  ],
  [
    'a reminder',
    { kind: 'reminder', text: bodyOf('reminder', { number: 2, problem: PROBLEM }) },
    'REMINDER 2, CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD',
  ],
  [
    'an escalation',
    { kind: 'escalation', text: bodyOf('escalation', { number: 1, problem: PROBLEM }) },
    'ESCALATION 1, CRITICAL ALPHA: Trading margin below the breach threshold, -60,000.5 AUD',
  ],
  [
    'a test',
    {
      kind: 'test',
      text: JSON.stringify({
        type: 'settlementbus.delivery.test.v1',
        data: { sink: 'treasury', requestedBy: 'jane' },
      }),
    },
    'TEST of the sink treasury',
  ],
])('title of %s', (_, change, expected) => {
  expect(describeMessage(message(change)).title).toBe(expected);
});

it('a fault that concerns a sink names it in the title', () => {
  const fault = { reason: 'sink-failing', interface: 'treasury', document: undefined };
  const titleOf = (data: object) =>
    describeMessage(message({ text: changed('bridge.alert.raised', data) })).title;
  expect(titleOf(fault)).toMatch(/: Fault of the bridge, sink-failing, treasury$/);
});

it('a problem or an event has a link to the console, a test has none', () => {
  const linkOf = (change: Partial<DescribedMessage>) =>
    describeMessage(message(change), 'https://console.example.org/').link;
  const test = JSON.stringify({ type: 'settlementbus.delivery.test.v1', data: { sink: 'treasury' } });
  expect([linkOf({ problemId: 'p1' }), linkOf({}), linkOf({ kind: 'test', text: test })]).toEqual([
    'https://console.example.org/problems/p1',
    'https://console.example.org/events/6f1c0b3e-2f4f-4d3e-9a66-0c2f5d1f7a10',
    undefined,
  ]);
});

it('says who silences a problem, why and until when', () => {
  const silence = { endsAt: JOE.at, author: 'joe', comment: 'known' };
  const began = described('silence-began', {}, { silence });
  expect(began.title).toMatch(/^SILENCE BEGAN, CRITICAL ALPHA: /);
  expect(began.explanation).toMatch(
    /^joe has silenced this until 2026-03-02 12:00:00 market time \(UTC\+8\): nobody else is notified\./,
  );
  expect(lines(began).slice(-3)).toEqual([
    'Silenced by: joe',
    'Comment of the silence: known',
    'Silence ends: 2026-03-02 12:00:00 market time (UTC+8)',
  ]);
  expect(lines(described('silence-ended', {}, { silence })).at(-1)).toMatch(/^Silence ended: 2026-03-02 12/);
  const endedByJane = described('silence-ended', {}, { silence: { ...silence, ended: JANE } });
  expect(lines(endedByJane).at(-2)).toMatch(/^Silence ended by: jane, 2026-03-02 10:20:00/);
});

it('says who has acknowledged and who has closed a problem, since when it lasts, and that nothing is to do', () => {
  const { explanation, action, ...rest } = described('closed', { acknowledged: JANE, closed: JOE });
  expect(explanation).toMatch(/^joe has closed this\./);
  expect(action).toBe('Nothing.');
  expect(lines({ explanation, action, ...rest }).slice(-6)).toEqual([
    'Since: 2026-03-02 10:15:30 market time (UTC+8)',
    'Became worse: 2 times',
    'Acknowledged by: jane, 2026-03-02 10:20:00 market time (UTC+8)',
    'Comment of jane: calling the bank',
    'Closed by: joe, 2026-03-02 12:00:00 market time (UTC+8)',
    'Comment of joe: paid',
  ]);
  const byOne = described('closed', { acknowledged: JANE, closed: { ...JOE, by: 'jane' } });
  expect(lines(byOne).at(-1)).toBe('Last comment of jane: paid');
  expect(lines(described('acknowledged', { worsened: 1 }))).toContain('Became worse: once');
});

it.each([
  ['reminder', undefined, 'Nobody has handled this yet.'],
  ['reminder', JANE, 'This has not ended yet.'],
  ['escalation', undefined, 'Nobody has acknowledged this in time.'],
  ['escalation', JANE, 'No receiver has accepted an alert of this in time.'],
])('%s of a problem that was acknowledged by %j', (word, acknowledged, expected) => {
  const { explanation } = described(word, { acknowledged });
  expect(explanation.startsWith(`${expected} `)).toBe(true);
});

it('shows the worst figure beside the newest when they differ', () => {
  const figures = { tradingMargin: '-60000.5' };
  const worse = described('reminder', { figures, worstFigures: { tradingMargin: '-90000' } });
  expect(lines(worse).slice(0, 2)).toEqual([
    'Trading margin: -60,000.5 AUD',
    'Trading margin at worst: -90,000 AUD',
  ]);
  for (const tradingMargin of ['-60000.5', '-60000.50'])
    expect(lines(described('reminder', { worstFigures: { tradingMargin } })).join()).not.toContain('worst');
});

it('shows no worst count that is the newest one', () => {
  const figuresOf = (worst: string): string => {
    const problem = {
      kind: 'bridge-fault',
      since: '',
      worsened: 1,
      figures: {},
      worstFigures: { count: worst },
    };
    const text = changed('bridge.alert.raised', { count: 3 });
    return lines(describeMessage(message({ text, problem: problem as ProblemPart }))).join();
  };
  expect(figuresOf('3')).not.toContain('worst');
  expect(figuresOf('4')).toContain('Occurrences at worst: 4');
});

it.each<[string, Partial<DescribedMessage>, Partial<ProblemPart>, string[]]>([
  ['that is acknowledged', {}, { acknowledged: JANE }, ['This problem is acknowledged by jane.']],
  ['of which people were reminded', {}, { reminders: 1 }, ['Nobody has acknowledged this problem yet.']],
  ['that has ended', {}, { acknowledged: JANE, state: 'resolved' }, ['This problem has ended meanwhile.']],
  ['that nobody was reminded of', {}, {}, []],
  ['that ends', { kind: 'resolved' }, { acknowledged: JANE, state: 'resolved' }, []],
])('remarks about a problem %s', (_, change, problem, expected) => {
  const present = { ...PROBLEM, figures: {}, worstFigures: {}, state: 'open', ...problem } as ProblemPart;
  expect(describeMessage(message({ ...change, problem: present })).remarks).toEqual(expected);
});

it('an alert that follows others says since when its problem lasts, who has acknowledged it, and the worst figure', () => {
  const problem: ProblemPart = {
    kind: 'margin',
    since: '2026-03-01T08:00:00+08:00',
    worsened: 1,
    figures: {},
    worstFigures: { tradingMargin: '-90000' },
    acknowledged: JANE,
    reminders: 2,
    escalations: 1,
  };
  const shown = lines(describeMessage(message({ problem })));
  expect(shown.slice(0, 2)).toEqual([
    'Trading margin: -60,000.5 AUD',
    'Trading margin at worst: -90,000 AUD',
  ]);
  expect(shown.slice(-6)).toEqual([
    'Since: 2026-03-01 08:00:00 market time (UTC+8)',
    'Became worse: once',
    'Reminders: 2',
    'Escalations: 1',
    'Acknowledged by: jane, 2026-03-02 10:20:00 market time (UTC+8)',
    'Comment of jane: calling the bank',
  ]);
});

it('an alert that opens its problem has no figures of it', () => {
  const { time } = JSON.parse(BREACHED) as { time: string };
  const shownOf = (worsened: number): string => {
    const problem = { ...PROBLEM, since: time, worsened, figures: {}, worstFigures: {} } as ProblemPart;
    return lines(describeMessage(message({ problem }))).join();
  };
  expect(shownOf(0)).not.toContain('Since');
  // Thresholds that changed can open and worsen a problem with one calculation.
  expect(shownOf(1)).toContain('Since');
});

it('shows the first entries of a list, and how many more there are', () => {
  expect(linesOf('timeline.changed', {})).toContain(
    'Change 1: WEM INITIAL TW 01 Mar 2026, statement date: 2026-03-19 → 2026-03-20',
  );
  expect(linesOf('statement.revised', {})).toContain(
    'Change 1: 2026-03-02 Energy trading – balancing, payment: 6,215.88 AUD → 6,101.2 AUD, difference -114.68 AUD',
  );
  const gone = { tradingDay: '2026-03-02T00:00:00', variable: 'Fees', pOrC: 'C', before: '1.00000001' };
  const changes = { count: 250, items: Array(100).fill({ ...gone, difference: '-1.00000001' }) };
  const revised = linesOf('statement.revised', { changes }).filter((line) => /changes?\b.*:/i.test(line));
  expect(revised).toContain(
    'Change 10: 2026-03-02 Fees, charge: 1.00000001 AUD → none, difference -1.00000001 AUD',
  );
  expect(revised).toContain('Further changes: 240');
  const one = {
    rule: 'line-items',
    path: 'paymentSummary.total',
    expected: '-19622.71',
    stated: '-19622.17',
  };
  const listed = linesOf('invoice.discrepancy', { discrepancies: Array(12).fill(one), count: 112 });
  const entries = listed.filter((line) => /iscrepanc/.test(line));
  expect(entries).toHaveLength(11);
  expect(entries[9]).toBe('Discrepancy 10: paymentSummary.total: -19,622.17 AUD, expected -19,622.71 AUD');
  expect(entries[10]).toBe('Further discrepancies: 102');
  const added = { kind: 'added', period: 'W1', marketService: 'WEM', designation: 'ADJ1' };
  expect(linesOf('timeline.changed', { changes: [added] })).toContain('Change 1: WEM ADJ1 W1: added');
});

it.each([
  ['payment.due', { direction: 'pay' }, 'Who pays: the participant'],
  ['payment.due', { direction: 'receive' }, 'Who pays: the operator'],
  ['payment.due', {}, 'Payable on that day: 126.15 AUD'],
  ['payment.due', {}, 'Receivable on that day: 2,213.05 AUD'],
  ['payment.due', {}, 'Net on that day: 2,086.90 AUD'],
  ['invoice.issued', {}, 'Who pays: the operator'],
  ['margin.breach-forecast', { daysUntilBreach: '3.0' }, 'Days until then: 3'],
  ['margin.breach-forecast', { daysUntilBreach: '0.5' }, 'Days until then: 0.5'],
  ['market.unreachable', {}, 'Failing since: 2026-03-02 10:20:00 market time (UTC+8)'],
  ['bridge.alert.raised', {}, 'Began at: 2026-03-02 10:10:00 market time (UTC+8)'],
])('%s with %j has the line %s', (type, data, expected) => {
  expect(linesOf(type, data)).toContain(expected);
});

it.each([
  [
    'bridge.alert.raised',
    { action: 'Restart it.' },
    'Fault of the bridge',
    'Pass this to the operators of the bridge: Restart it.',
  ],
])('%s with %j', (type, data, title, action) => {
  const text = changed(type, data);
  const about = describeMessage(message({ text }));
  expect([about.title.includes(`: ${title},`), about.action]).toEqual([true, action]);
});

it('has no label twice, and names no time but market time', () => {
  for (const type of EVENT_TYPES) {
    const event = JSON.parse(example(type)) as object;
    const data = { problem: { ...PROBLEM, acknowledged: JANE, closed: JOE }, event };
    const text = JSON.stringify({ type: 'settlementbus.delivery.closed.v1', data });
    const { figures } = describeMessage(message({ text }));
    expect(new Set(figures.map(({ label }) => label)).size).toBe(figures.length);
    expect(figures.filter(({ value }) => /\dZ|\d UTC/.test(value))).toEqual([]);
  }
});

it('shows a time that is not one as it is', () => {
  expect(FORMATS.instant('soon')).toBe('soon');
});

it.each([
  ['-12345678901234567890123.12345678', '-12,345,678,901,234,567,890,123.12345678 AUD'],
  ['1000', '1,000 AUD'],
  ['999.90', '999.90 AUD'],
  ['0', '0 AUD'],
])('the amount %s', (amount, expected) => {
  expect(formatAmount(amount)).toBe(expected);
});

it('a digest has one line for each event, with its decisive figure and time', () => {
  const events = ['invoice.issued', 'bridge.alert.cleared', 'margin.restored'].map(
    (type) => JSON.parse(example(`settlementbus.${type}.v1`)) as object,
  );
  const text = JSON.stringify({ type: 'settlementbus.delivery.digest.v1', data: { sink: 'a', events } });
  const about = describeMessage(message({ kind: 'notice', severity: 'info', marks: ['late'], text }));
  expect(about.title).toBe('DIGEST of 3 notices');
  expect(lines(about)).toEqual([
    '1. ALPHA: Invoice issued: INV-0007; -19,622.17 AUD; WEM; INITIAL; 2026-03-25 00:00:00 market time (UTC+8)',
    '2. ALPHA: Fault of the bridge ended: message-quarantined; 2026-03-02 10:15:31 market time (UTC+8)',
    '3. ALPHA: Trading margin restored: 310,000 AUD; 2026-03-03 09:30:00 market time (UTC+8)',
  ]);
  expect(about.remarks).toHaveLength(1);
});
