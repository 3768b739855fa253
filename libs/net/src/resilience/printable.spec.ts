import { escapeLine, escapeLines, toPrintable } from './printable.js';

/** Every character that a terminal obeys, reorders text for, or breaks a line at. */
const UNSAFE = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0x61c,
  0x200e,
  0x200f,
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
  0xfeff,
  0xe0041,
].map((code) => String.fromCodePoint(code));

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

it('escapes every unsafe character as JSON does, also those that JSON.stringify leaves', () => {
  for (const character of UNSAFE) {
    const escaped = escapeLine(`a${character}b`);
    expect(escaped).toMatch(/^a[ -~]+b$/);
    expect(JSON.parse(`"${escaped}"`)).toBe(`a${character}b`);
  }
});

it('keeps the value of JSON, and its line ends', () => {
  const value = { name: `Ünïcode 😀 עברית ${UNSAFE.join('')}`, list: ['\ud83d'] };
  const json = escapeLines(JSON.stringify(value, undefined, 2));
  expect(JSON.parse(json)).toEqual(value);
  expect(json.split('\n')).toHaveLength(6);
  expect(UNSAFE.filter((character) => character !== '\n' && json.includes(character))).toEqual([]);
});

it.each([
  ['a text', 'a text'],
  ['Ünïcode 😀 עברית', 'Ünïcode 😀 עברית'],
  ['one\r\ntwo\u2028\u0000', 'one\\r\\ntwo\\u2028\\u0000'],
  ['\u001b[31m red, \u009b31m', '\\u001b[31m red, \\u009b31m'],
  ['\ud83d', '\\ud83d'],
  [`x${'😀'.repeat(20)}`, `x${'😀'.repeat(19)}…`],
  ['😀'.repeat(21), `${'😀'.repeat(19)}…`],
  ['\u001b'.repeat(10), `${'\\u001b'.repeat(6)}\\u0…`],
])('toPrintable: %j becomes %j', (text, expected) => {
  expect(toPrintable(text, 40)).toBe(expected);
  expect(toPrintable(text, 40).length).toBeLessThanOrEqual(40);
});
