import { parseDecimal } from '@ssb/market';
import { writeAmount } from './invoice-text.js';

describe('an amount on paper', () => {
  it.each([
    ['0', '0.00'],
    ['5', '5.00'],
    ['-0.5', '-0.50'],
    ['999.99', '999.99'],
    ['1000', '1,000.00'],
    ['-1234567.5', '-1,234,567.50'],
    ['123456.10', '123,456.10'],
    ['1.5000', '1.50'],
    ['0.12345678', '0.12345678'],
    ['99999999999999999999999999.99', '99,999,999,999,999,999,999,999,999.99'],
  ])('%s is %s', (digits, written) => {
    expect(writeAmount(parseDecimal(digits))).toBe(written);
  });
});
