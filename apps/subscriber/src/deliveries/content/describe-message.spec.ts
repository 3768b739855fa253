import { readdirSync, readFileSync } from 'node:fs';
import { EVENT_TYPES } from '@ssb/events';
import { describeMessage, type DescribedMessage } from './describe-message.js';
import { formatAmount } from './event-figures.js';

const EXAMPLES = new URL('../../../../../../libs/events/examples/', import.meta.url);
const example = (type: string): string => readFileSync(new URL(`${type}.json`, EXAMPLES), 'utf8');
const BREACHED = example('settlementbus.margin.breached.v1');

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
const PROBLEM = { since: '2026-03-02T10:15:30+08:00', worsened: 2 };

it('describes an example of every type, in one line each', () => {
  expect(readdirSync(EXAMPLES)).toHaveLength(EVENT_TYPES.length);
  for (const type of EVENT_TYPES) {
    const described = describeMessage(message({ text: example(type) }));
    const texts = [
      described.title,
      described.explanation,
      described.action,
      ...described.figures.flatMap(({ label, value }) => [label, value]),
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

it('says who silences a problem, why and until when', () => {
  const silence = { endsAt: '2026-03-02T04:00:00.000Z', author: 'joe', comment: 'known' };
  const text = bodyOf('silence-began', { problem: PROBLEM, silence });
  const { title, explanation, figures } = describeMessage(message({ kind: 'notice', text }));
  expect(title).toMatch(/^SILENCE BEGAN, CRITICAL ALPHA: /);
  expect(explanation).toMatch(/^A silence of joe hides this from all sinks\./);
  expect(figures).toEqual(
    expect.arrayContaining([
      { label: 'Comment of the silence', value: 'known' },
      { label: 'Silence ends', value: '2026-03-02T04:00:00.000Z' },
    ]),
  );
});

it('says who has acknowledged a problem, and since when it lasts', () => {
  const acknowledged = { at: '2026-03-02T02:20:00.000Z', by: 'jane', comment: 'calling the bank' };
  const text = bodyOf('acknowledged', { problem: { ...PROBLEM, acknowledged } });
  const { explanation, figures } = describeMessage(message({ kind: 'notice', text }));
  expect(explanation).toMatch(/^jane knows of this\./);
  expect(figures).toEqual(
    expect.arrayContaining([
      { label: 'Lasts since', value: '2026-03-02 10:15:30 market time (UTC+8)' },
      { label: 'Became worse', value: '2 times' },
      { label: 'Comment', value: 'calling the bank' },
    ]),
  );
});

it.each([
  ['-12345678901234567890123.12345678', '-12,345,678,901,234,567,890,123.12345678 AUD'],
  ['1000', '1,000 AUD'],
  ['999.90', '999.90 AUD'],
  ['0', '0 AUD'],
])('the amount %s', (amount, expected) => {
  expect(formatAmount(amount)).toBe(expected);
});
