import type { AlertRule } from './rule-schema.js';
import { acceptEveryAmount, acceptsSomeAmount } from './amount-ranges.js';

const MARGIN = 'settlementbus.margin.breached.v1';
const PAYMENT = 'settlementbus.payment.due.v1';
const STALE = 'settlementbus.position.stale.v1';

type Amounts = AlertRule['amounts'];

it.each<[string, Amounts[], string, boolean]>([
  ['no matcher', [], MARGIN, false],
  ['a rule without amounts', [{ below: '1' }, undefined], STALE, true],
  ['a type without an amount', [{ atLeast: '0' }], STALE, false],
  ['two ranges that touch, in any order', [{ atLeast: '5.00' }, { below: '5' }], MARGIN, true],
  ['a gap', [{ below: '5' }, { atLeast: '5.01' }], MARGIN, false],
  [
    'a range within another one',
    [{ below: '9' }, { atLeast: '1', below: '2' }, { atLeast: '9' }],
    MARGIN,
    true,
  ],
  ['no range for large amounts', [{ below: '5' }, { atLeast: '5', below: '9' }], MARGIN, false],
  ['no range for negative amounts', [{ atLeast: '0' }], MARGIN, false],
  ['amounts without a sign begin at 0', [{ atLeast: '0.00' }], PAYMENT, true],
  ['the same with a range below 0', [{ below: '-1' }, { atLeast: '0' }], PAYMENT, true],
])('every amount: %s', (_, matchers, type, expected) => {
  expect(acceptEveryAmount(matchers, type as typeof MARGIN)).toBe(expected);
});

it.each<[string, Amounts, string, boolean]>([
  ['a rule without amounts', undefined, STALE, true],
  ['a type without an amount', { below: '1' }, STALE, false],
  ['negative amounts of a margin', { below: '-1' }, MARGIN, true],
  ['negative amounts without a sign', { below: '0.00' }, PAYMENT, false],
  ['amounts without a sign', { below: '0.01' }, PAYMENT, true],
])('some amount: %s', (_, amounts, type, expected) => {
  expect(acceptsSomeAmount(amounts, type as typeof MARGIN)).toBe(expected);
});
