import { joinCsv, readNextAddress } from './csv.js';

it('joins pages under the header of the first', () => {
  expect(joinCsv(['day,net\n1,2\n', 'day,net\n3,"4\n5"'])).toBe('day,net\n1,2\n3,"4\n5"\n');
  expect(joinCsv(['day,net\n'])).toBe('day,net\n');
});

it('finds the next page on its own origin only', () => {
  expect(readNextAddress('</v1/payments?cursor=a%3E>; rel="next"')).toBe('/v1/payments?cursor=a%3E');
  expect(readNextAddress('<https://elsewhere/>; rel="next"')).toBeUndefined();
  expect(readNextAddress('')).toBeUndefined();
});
