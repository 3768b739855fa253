import { hasDuplicateNames } from './parse-payload.js';

describe('hasDuplicateNames', () => {
  it.each([
    ['{}', false],
    ['{"a":1,"b":2}', false],
    ['{ "a": 1, "b": 2 }', false],
    ['{"a":1,"a":1}', true],
    ['{ "a" : 1 , "a" : 2 }', true],
    ['{"a":{"x":1},"b":{"x":2}}', false],
    ['{"b":{"x":1,"x":2}}', true],
    ['[{"x":1},{"x":2}]', false],
    ['[{"x":1},{"x":2,"y":[],"x":3}]', true],
    ['{"a":"a","b":"a"}', false],
    ['{"a": ["a", "a"]}', false],
    ['{"a":1,"\\u0061":2}', true],
    ['{"q\\"":1, "q\\"":2}', true],
    ['{"a":"{\\"a\\":1,\\"a\\":2}", "b": 1}', false],
    ['{"__proto__":1, "__proto__":2}', true],
    ['{"a":1.0}', false],
  ])('%s: %s', (text, expected) => {
    expect(hasDuplicateNames(text)).toBe(expected);
  });
});
