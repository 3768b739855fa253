import { subtractAmounts } from './subtract.js';

it.each([
  ['533448.37705883', '535082.74654032', '-1634.36948149'],
  ['987654321325279.85371232', '987654321294663.99750455', '30615.85620777'],
  ['1', '0.05', '0.95'],
  ['-2.5', '-2.50', '0.00'],
  ['12', '30', '-18'],
  ['0.01', '0.05', '-0.04'],
  ['unknown', '1', ''],
])('%s minus %s is %s', (one, other, difference) => {
  expect(subtractAmounts(one, other)).toBe(difference);
});
