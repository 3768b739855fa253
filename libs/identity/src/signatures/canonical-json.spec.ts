import { readVector } from '../../test/vectors.js';
import { canonicalJson, NotCanonicalError } from './canonical-json.js';

/** The bits of a double and its text. */
const NUMBERS: [bits: string, text: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('the canonical form', () => {
  it.each(['arrays', 'french', 'structures', 'unicode', 'values', 'weird'])(
    'is the published one for %s, byte for byte',
    (name) => {
      const input: unknown = JSON.parse(readVector(`jcs/input/${name}.json`).toString('utf8'));
      expect(Buffer.from(canonicalJson(input), 'utf8')).toEqual(readVector(`jcs/output/${name}.json`));
    },
  );

  it('of a number is the text of RFC 8785 appendix B', () => {
    const texts = NUMBERS.map(([bits]) => [bits, canonicalJson(Buffer.from(bits, 'hex').readDoubleBE())]);
    expect(texts).toEqual(NUMBERS);
  });

  it.each([
    ['null', null, 'null'],
    ['a text', 'a "b"\\\n', '"a \\"b\\"\\\\\\n"'],
    ['a text that looks like an escaped surrogate', '\\ud800', '"\\\\ud800"'],
    ['a member that is undefined', { b: undefined, a: 1 }, '{"a":1}'],
    ['a value with its own JSON form', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [
      'names in the order of their UTF-16 code units',
      { '\ufb33': 1, '\u{1f602}': 2, a: 3 },
      '{"a":3,"\u{1f602}":2,"\ufb33":1}',
    ],
    ['names that look like numbers', { 10: 1, 9: 2 }, '{"10":1,"9":2}'],
  ])('of %s', (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected);
  });
});

describe('there is no canonical form', () => {
  const hole = [1];
  hole[2] = 3;
  const circular: unknown[] = [];
  circular.push(circular);

  it.each<[string, unknown, string, string]>([
    ['of undefined', undefined, 'undefined', ''],
    ['of undefined in an array', { a: [1, undefined] }, 'undefined', '/a/1'],
    ['of a hole in an array', hole, 'array-hole', '/1'],
    ['of NaN', { a: NaN }, 'not-finite', '/a'],
    ['of infinity', [Infinity], 'not-finite', '/0'],
    ['of negative infinity', -Infinity, 'not-finite', ''],
    ['of a high surrogate alone', { a: 'x\ud800' }, 'lone-surrogate', '/a'],
    ['of a low surrogate alone', ['\udc00x'], 'lone-surrogate', '/0'],
    ['of surrogates in the wrong order', '\udc00\ud800', 'lone-surrogate', ''],
    ['of a name with a lone surrogate', { a: { 'x\ud800': 1 } }, 'lone-surrogate', '/a'],
    ['of a bigint', { 'a/b~': 1n }, 'not-json', '/a~1b~0'],
    ['of a function', { a: () => 1 }, 'not-json', '/a'],
    ['of a symbol', [Symbol('a')], 'not-json', '/0'],
    ['of a toJSON that returns undefined', { a: { toJSON: () => undefined } }, 'undefined', '/a'],
    ['of a circular array', circular, 'too-deep', '/0'.repeat(500)],
  ])('%s', (_, value, reason, path) => {
    const error = errorOf(value);
    expect(error).toBeInstanceOf(NotCanonicalError);
    expect(error).toMatchObject({ reason, path });
  });
});

function errorOf(value: unknown): unknown {
  try {
    return canonicalJson(value);
  } catch (error) {
    return error;
  }
}
