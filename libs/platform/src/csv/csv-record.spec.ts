import { parse } from 'csv-parse/sync';
import { toCsv } from './csv.js';

const cells = (value: unknown): unknown => {
  const [, [cell] = []] = parse(toCsv([{ value }], ['value']));
  return cell;
};

it.each([
  ['-0.10000000000000000001', '-0.10000000000000000001'],
  ['1234567890123456789.00', '1234567890123456789.00'],
  ['=1+1', "'=1+1"],
  ['+61 8 9000', "'+61 8 9000"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [['=1', 'late'], "'=1 late"],
  ['a "quoted", text\r\nof two lines', 'a "quoted", text\r\nof two lines'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [7, '7'],
  [undefined, ''],
])('writes %j as %j', (value, expected) => {
  expect(cells(value)).toBe(expected);
});

it('has a header line, also without rows', () => {
  expect(toCsv([], ['id', 'amount'])).toBe('id,amount\r\n');
});
