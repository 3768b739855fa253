import { readCookie, SESSION_COOKIE } from './session-cookie.js';

const read = (header: string | undefined) => readCookie(header, SESSION_COOKIE);

it.each([
  ['alone', '__Host-session=a.b', 'a.b'],
  ['between others', 'one=1; __Host-session=a.b;two=2', 'a.b'],
  ['after spaces and tabs', 'one=1; \t__Host-session=a.b \t', 'a.b'],
])('reads a cookie %s', (_what, header, value) => {
  expect(read(header)).toBe(value);
});

it.each([
  ['no header', undefined],
  ['another prefix', '__host-session=a.b; session=a.b'],
  ['a name with a white space that browsers permit', '\u{a0}__Host-session=a.b; \u{b}__Host-session=a.b'],
  ['a value of another cookie', 'one=__Host-session=a.b'],
  ['a name without a value', '__Host-session'],
])('has no cookie in %s', (_what, header) => {
  expect(read(header)).toBeUndefined();
});

it('is never valid when its name occurs twice', () => {
  expect(read('__Host-session=a.b; __Host-session=a.b')).toBe('');
});
