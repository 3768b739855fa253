import { isStorable } from './texts.js';

it.each([
  ['a character of two UTF-16 units counts once', '𝄞𝄞', true],
  ['too many characters', '𝄞𝄞a', false],
  ['blank', '  ', false],
  ['a zero character', 'a\0', false],
  ['half of a character', '\ud834', false],
])('%s', (_what, text, expected) => {
  expect(isStorable(text, 2)).toBe(expected);
});
