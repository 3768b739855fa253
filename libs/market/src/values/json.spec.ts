import { MalformedJsonError, parseJson, serialiseJson } from './json.js';

describe('lossless JSON', () => {
  it('keeps every digit', () => {
    const text = '{"a":123456789012345.12345678,"b":[1.50,1e400,-0.0],"c":"x"}';
    expect(serialiseJson(parseJson(text))).toBe(text);
  });

  it('ignores a byte-order mark', () => {
    expect(parseJson('\ufeff{}')).toEqual({});
  });

  it.each([
    ['an empty text', ''],
    ['half an object', '{"a":'],
    ['two values', '{} {}'],
    ['HTML', '<html>'],
    ['a key with two different values', '{"a":1,"a":2}'],
    ['deep nesting', '['.repeat(200_000)],
  ])('refuses %s', (_, text) => {
    expect(() => parseJson(text)).toThrow(MalformedJsonError);
  });
});
