import { rowFigureOf, type RowFigure } from './row-figure.js';

const THRESHOLDS = { warning: '250000', breach: '100000' };
const INVOICE = {
  payableAmount: '-19622.17',
  total: '-19622.17',
  direction: 'receive',
  dueDate: '2026-04-02',
};

it.each<[type: string, figures: Record<string, string>, RowFigure]>([
  [
    'statement.published',
    { payment: '412.06', charge: '18250.397825' },
    { words: 'net', amount: '-17838.337825' },
  ],
  ['statement.revised', { payment: '1.5', charge: '0' }, { words: 'net', amount: '1.5' }],
  ['statement.overdue', { statementDate: '2026-03-19' }, { words: 'due 19 Mar' }],
  ['statement.disagreement-due', { disagreeUntil: '2026-04-17' }, { words: 'until 17 Apr' }],
  ['invoice.issued', INVOICE, { words: 'receive', amount: '19622.17', more: 'due 2 Apr' }],
  ['invoice.issued', { total: '0.00' }, { words: 'nothing to settle' }],
  ['invoice.issued', { total: '-5.10' }, { amount: '-5.10' }],
  ['invoice.reversed', INVOICE, { words: 'receive', amount: '19622.17', more: 'no longer due' }],
  ['invoice.overdue', { invoiceDate: '2026-03-25' }, { words: 'due 25 Mar' }],
  [
    'invoice.discrepancy',
    { stated: '10.00', expected: '12.00' },
    { amount: '10.00', more: 'expected 12.00' },
  ],
  ['invoice.document-stored', { bytes: '48213' }, { words: '48.2\u00a0kB' }],
  [
    'payment.due',
    { payableAmount: '126.15', direction: 'pay', dueDate: '2026-06-11' },
    { words: 'pay', amount: '126.15', more: 'due 11 Jun' },
  ],
  ['position.calculated', { tradingMargin: '5.00' }, { words: 'margin', amount: '5.00' }],
  ['position.stale', { lastCalculatedAt: '2026-03-02T10:15:30.250' }, { words: 'since 10:15, 2 Mar' }],
  [
    'margin.warning',
    { tradingMargin: '249999.98999999', ...THRESHOLDS },
    { amount: '249999.98999999', more: 'below 250,000' },
  ],
  [
    'margin.breached',
    { tradingMargin: '-60000.5', ...THRESHOLDS },
    { amount: '-60000.5', more: 'below 100,000' },
  ],
  [
    'margin.restored',
    { tradingMargin: '310000', level: 'OK', ...THRESHOLDS },
    { amount: '310000', more: 'above 250,000' },
  ],
  [
    'margin.restored',
    { tradingMargin: '110000', level: 'WARNING', ...THRESHOLDS },
    { amount: '110000', more: 'above 100,000' },
  ],
  [
    'margin.breach-forecast',
    { tradingMargin: '87210.35', breachDay: '2026-03-05' },
    { amount: '87210.35', more: 'on 5 Mar' },
  ],
  [
    'credit-support.short',
    { creditSupport: '950000', creditLimit: '1000000' },
    { amount: '950000', more: 'limit 1,000,000' },
  ],
  ['timeline.changed', { count: '3' }, { words: '3 changes' }],
  ['market.unreachable', { cause: 'no-response' }, { words: 'no response' }],
  ['bridge.alert.raised', { reason: 'dead-letter', detail: 'It failed.' }, { words: 'It failed.' }],
  ['bridge.alert.cleared', { reason: 'dead-letter' }, {}],
])('%s %j', (type, figures, expected) => {
  expect(rowFigureOf({ type: `settlementbus.${type}.v1`, figures })).toEqual(expected);
});

it('shows nothing of an event without figures, or of a type of a later release', () => {
  const types = ['statement.published', 'invoice.issued', 'margin.breached', 'position.stale', 'other'];
  for (const type of types)
    expect(rowFigureOf({ type: `settlementbus.${type}.v1`, figures: {} })).toEqual({});
  expect(rowFigureOf({ type: 'settlementbus.position.calculated.v1', figures: {} })).toEqual({});
});
