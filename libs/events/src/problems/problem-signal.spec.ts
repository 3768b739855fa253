import { readFileSync } from 'node:fs';
import type { DetectedEvent } from '../event.js';
import type { EventType } from '../envelope/event-type.js';
import { SETTLEMENT_FACTS } from '../../test/settlement-facts.js';
import { readProblemSignal, type ProblemSignal } from './problem-signal.js';

const example = (type: EventType, data: object = {}): DetectedEvent => {
  const file = new URL(`../../../examples/${type}.json`, import.meta.url);
  const event = JSON.parse(readFileSync(file, 'utf8')) as DetectedEvent;
  return { ...event, data: { ...event.data, ...data } };
};

const WINDOW = `ALPHA/WEM/2026-03-01/INITIAL/disagreement/2026-03-20T17:00:05/${SETTLEMENT_FACTS['settlementbus.statement.published.v1'].digest}`;

it.each<[string, EventType, object, Partial<ProblemSignal> | undefined]>([
  [
    'a breach',
    'settlementbus.margin.breached.v1',
    { severity: 'critical' },
    { kind: 'margin', key: 'ALPHA/prudential', effect: 'lasts', level: 'BREACHED', severity: 'critical' },
  ],
  [
    'the end of a breach',
    'settlementbus.margin.restored.v1',
    { level: 'OK' },
    { key: 'ALPHA/prudential', effect: 'ends' },
  ],
  [
    'a statement that is missing',
    'settlementbus.statement.overdue.v1',
    {},
    { kind: 'statement-overdue', key: 'ALPHA/WEM/2026-03-01/INITIAL', effect: 'lasts' },
  ],
  [
    'the statement',
    'settlementbus.statement.published.v1',
    {},
    { kind: 'statement-overdue', key: 'ALPHA/WEM/2026-03-01/INITIAL', effect: 'ends' },
  ],
  [
    'a window for a notice of disagreement',
    'settlementbus.statement.disagreement-due.v1',
    {},
    {
      kind: 'disagreement',
      key: WINDOW,
      effect: 'lasts',
      measure: { value: '5', worse: 'lower' },
      closedByPerson: false,
    },
  ],
  [
    'the end of the window',
    'settlementbus.statement.disagreement-lapsed.v1',
    {},
    { key: WINDOW, effect: 'ends' },
  ],
  [
    'an invoice that is missing',
    'settlementbus.invoice.overdue.v1',
    {},
    { kind: 'invoice-overdue', key: 'ALPHA/WEM/2026-03-01/INITIAL', effect: 'lasts' },
  ],
  [
    'the invoice',
    'settlementbus.invoice.issued.v1',
    {},
    { kind: 'invoice-overdue', key: 'ALPHA/WEM/2026-03-01/INITIAL', effect: 'ends' },
  ],
  [
    'a discrepancy, which no event ends',
    'settlementbus.invoice.discrepancy.v1',
    {},
    { effect: 'lasts', closedByPerson: true },
  ],
  [
    'a fault that each report counts',
    'settlementbus.bridge.alert.raised.v1',
    { reason: 'dead-letter', count: 3 },
    { closedByPerson: true, measure: { value: '3', worse: 'higher' } },
  ],
  [
    'a fault with an end',
    'settlementbus.bridge.alert.raised.v1',
    { reason: 'heartbeat-missing' },
    { closedByPerson: false },
  ],
  ['a fact of no problem', 'settlementbus.timeline.changed.v1', {}, undefined],
])('%s', (_, type, data, expected) => {
  const signal = readProblemSignal(example(type, data));
  if (expected === undefined) expect(signal).toBeUndefined();
  else expect(signal).toMatchObject(expected);
});

it('a margin that is still a warning has the severity of the level, not that of the good news', () => {
  const restored = example('settlementbus.margin.restored.v1', { level: 'WARNING', severity: 'info' });
  const signal = readProblemSignal(restored);
  expect(signal).toMatchObject({ effect: 'lasts', level: 'WARNING' });
  expect(signal).not.toHaveProperty('severity');
});
