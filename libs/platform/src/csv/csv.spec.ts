import { toCsv } from './csv.js';

it.each([
  ['-0.10000000000000000001', '-0.10000000000000000001'],
  ['1234567890123456789.00', '1234567890123456789.00'],
  ['=1+1', "'=1+1"],
  ['+61 8 9000', "'+61 8 9000"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("x", "y")', '"\'=HYPERLINK(""x"", ""y"")"'],
  [['=1', 'late'], "'=1 late"],
  ['a "quoted", text\r\nof two lines', '"a ""quoted"", text\r\nof two lines"'],
  ['one\ntwo', '"one\ntwo"'],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
  [7, '7'],
  [true, 'true'],
  [undefined, ''],
])('writes %j as %j', (value, expected) => {
  expect(toCsv([{ value, last: 'next' }], ['value', 'last'])).toBe(`value,last\r\n${expected},next\r\n`);
});

it('has no cell for an object', () => {
  expect(() => toCsv([{ value: {} }], ['value'])).toThrow(TypeError);
});
