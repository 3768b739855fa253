import { compareAmounts, decimalsOf, formatAmount, isNegative, isZero, padDecimals } from './amount.js';

it.each([
  ['0', '0'],
  ['123.45', '123.45'],
  ['1234567.80', '1,234,567.80'],
  ['-1000', '\u22121,000'],
  ['987654321098765.87654321', '987,654,321,098,765.87654321'],
  ['not a number', 'not a number'],
])('shows %s as %s', (text, shown) => {
  expect(formatAmount(text)).toBe(shown);
});

it('knows what is below zero', () => {
  expect(['-0.01', '-0.00', '0.01'].map(isNegative)).toEqual([true, false, false]);
});

it('knows zero', () => {
  expect(['0', '-0.00', '0.01', ''].map(isZero)).toEqual([true, true, false, false]);
});

it('gives amounts the same decimals, and removes none', () => {
  const texts = ['0', '-1.5', '0.01', undefined];
  expect(decimalsOf(texts)).toBe(2);
  expect(['0', '-1.5', '0.123', 'unknown'].map((text) => padDecimals(text, 2))).toEqual([
    '0.00',
    '-1.50',
    '0.123',
    'unknown',
  ]);
});

it('compares amounts that numbers cannot tell apart', () => {
  expect(compareAmounts('987654321098765.87654321', '987654321098765.87654322')).toBe(-1);
  expect(compareAmounts('-2', '-10')).toBe(1);
  expect(compareAmounts('1.0', '1')).toBe(0);
  expect(compareAmounts('0.0000000000002', '0.0000000000001')).toBe(1);
  expect([compareAmounts('unknown', '-5'), compareAmounts('-5', ''), compareAmounts('', '-')]).toEqual([
    -1, 1, 0,
  ]);
});
