import { MalformedJsonError, parseJson, serialiseJson } from './json.js';

describe('lossless JSON', () => {
  it('keeps every digit there and back', () => {
    const text = '{"a":123456789012345.12345678,"b":[1.50,1e400,-0.0],"c":"x"}';
    expect(serialiseJson(parseJson(text))).toBe(text);
  });

  it('passes over a byte-order mark', () => {
    expect(parseJson('\ufeff{}')).toEqual({});
  });

  it.each([
    ['nothing', ''],
    ['half an object', '{"a":'],
    ['two values', '{} {}'],
    ['a page', '<html>'],
    ['a key said twice, differently', '{"a":1,"a":2}'],
    ['brackets without end', '['.repeat(200_000)],
  ])('refuses %s', (_, text) => {
    expect(() => parseJson(text)).toThrow(MalformedJsonError);
  });
});
