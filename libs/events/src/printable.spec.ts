import { toPrintable } from './printable.js';

it.each([
  ['a text', 'a text'],
  ['one\r\ntwo\u2028\u0000', 'one\ufffd\ufffdtwo\ufffd\ufffd'],
  ['\u001b[31m red, \u009b31m red, \u202e reversed', '\ufffd[31m red, \ufffd31m red, \ufffd reversed'],
  ['\ud83d', '\ufffd'],
  [`x${'😀'.repeat(20)}`, `x${'😀'.repeat(19)}…`],
  ['😀'.repeat(21), `${'😀'.repeat(19)}\ufffd…`],
])('%j becomes %j', (text, expected) => {
  expect(toPrintable(text, 40)).toBe(expected);
});
