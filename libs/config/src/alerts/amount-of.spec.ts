import { readFileSync } from 'node:fs';
import { EVENT_TYPES, type SignedEvent } from '@ssb/events';
import { amountOf } from './amount-of.js';

const readExample = (type: string): SignedEvent =>
  JSON.parse(
    readFileSync(new URL(`../../../events/examples/${type}.json`, import.meta.url), 'utf8'),
  ) as SignedEvent;

it('each published example has the amount of its figures', () => {
  const amounts = EVENT_TYPES.flatMap((type) => {
    const amount = amountOf(readExample(type));
    return amount === undefined ? [] : [[type.replace(/^settlementbus\.|\.v1$/g, ''), amount]];
  });
  expect(Object.fromEntries(amounts)).toEqual({
    'statement.published': '17838.337825',
    'statement.revised': '114.68',
    'invoice.issued': '19622.17',
    'invoice.adjusted': '126.15',
    'invoice.reversed': '19622.17',
    'invoice.discrepancy': '0.54',
    'payment.due': '126.15',
    'position.calculated': '249999.98999999',
    'margin.warning': '249999.98999999',
    'margin.breached': '-60000.5',
    'margin.restored': '310000',
    'margin.breach-forecast': '87210.35',
    'margin.forecast-cleared': '187210.35',
    'credit-support.short': '-50000',
    'credit-support.restored': '0',
  });
});

it.each([
  ['payableAmount without its sign', 'invoice.issued', { payableAmount: '-5.10', total: '7' }, '5.10'],
  ['total without payableAmount', 'invoice.issued', { total: '-7.00' }, '7.00'],
  ['neither', 'invoice.issued', {}, undefined],
  ['of the reversed invoice', 'invoice.reversed', { payableAmount: '1', reversed: { total: '-3' } }, '3'],
  ['a margin with its sign', 'margin.breached', { tradingMargin: '-0.10' }, '-0.10'],
  [
    'the change of a statement',
    'statement.revised',
    { totals: { payment: '9', charge: '0' }, difference: { payment: '0.10', charge: '0.30' } },
    '0.20',
  ],
  ['a statement', 'statement.revised', { totals: { payment: '1.5', charge: '0' } }, '1.5'],
  [
    'the largest discrepancy',
    'invoice.discrepancy',
    {
      discrepancies: [
        { expected: '1', stated: '1.5' },
        { expected: '3', stated: '-1' },
      ],
    },
    '4',
  ],
])('%s', (_, type, data, expected) => {
  const event = { type: `settlementbus.${type}.v1`, data } as unknown as SignedEvent;
  expect(amountOf(event)).toBe(expected);
});
