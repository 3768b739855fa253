import { indentJson } from './json-text.js';

it('indents without a change of any digit or text', () => {
  const text =
    '{"a":4711.0,"b":[1e400,-0.10,{"c":" {,:}\\" \\u00e9"}],"d":{},"e":[ ],"f":123456789012345678901234567890}';
  const shown = indentJson(text);
  expect(shown).toBe(`{
  "a": 4711.0,
  "b": [
    1e400,
    -0.10,
    {
      "c": " {,:}\\" \\u00e9"
    }
  ],
  "d": {},
  "e": [],
  "f": 123456789012345678901234567890
}`);
  expect(indentJson(shown)).toBe(shown);
});

it('text that is not JSON keeps its parts', () => {
  expect(indentJson('}"never ends')).toBe('\n}"neverends');
});
