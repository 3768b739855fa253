import fc from 'fast-check';
import * as native from './primitives.js';
import * as portable from './portable-primitives.js';

const bytes = fc.uint8Array({ maxLength: 300 });
const base64urlText = fc.string({ unit: fc.constantFrom(...'AaZz09-_+/= \n'), maxLength: 12 });

it('both sets of primitives have the same exports', () => {
  expect(Object.keys(portable).sort()).toEqual(Object.keys(native).sort());
});

it('sha256 of texts is the same, also with lone surrogates', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('a\ud800')), (text) => {
      expect(Uint8Array.from(native.sha256(text))).toEqual(portable.sha256(text));
    }),
  );
});

it('sha256 and base64url of bytes are the same', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      expect(Uint8Array.from(native.sha256(value))).toEqual(portable.sha256(value));
      const text = portable.base64url.encode(value);
      expect(text).toBe(native.base64url.encode(value));
      expect(portable.base64url.decode(text)).toEqual(value);
    }),
  );
});

it('both refuse the same texts as base64url', () => {
  fc.assert(
    fc.property(fc.oneof(base64urlText, fc.string({ unit: 'binary' })), (text) => {
      const [decoded, expected] = [portable.base64url.decode(text), native.base64url.decode(text)];
      expect(decoded).toEqual(expected && Uint8Array.from(expected));
    }),
    { numRuns: 2_000 },
  );
});

it.each(['A', 'AA=', 'AB', 'AAB', 'A A', 'AA\n', '😂', 'AAAAA'])('%j is not base64url', (text) => {
  expect(portable.base64url.decode(text)).toBeUndefined();
});
