import { schemaWork } from './schema-work.js';

describe('the work of a schema', () => {
  it('is a step for each of its nodes and each character', () => {
    // The schema itself, type, required and its entry; the payload and its end.
    expect(schemaWork({ type: 'object', required: ['n'] })('{"n":1}')).toBe(4 * 8);
    expect(schemaWork(true)('{}')).toBe(3);
  });

  it('grows with the square of a list whose items must differ', () => {
    expect(schemaWork({ uniqueItems: true })('[1,2]')).toBe(2 * 6 + 36);
    expect(schemaWork({ uniqueItems: false })('[1,2]')).toBe(2 * 6);
  });

  it('counts a check in decimal for more than its node', () => {
    expect(schemaWork({ multipleOf: 0.01 })('1')).toBe((2 + 1_024) * 2);
  });

  it('counts the ways of a pattern over the longest text', () => {
    const schema = { properties: { n: { pattern: '^a*b*$' } } };
    // Nodes: the schema, properties, n, pattern. 12 characters and the end; the longest text, with its quotes left out, is of 4.
    // The pattern: its beginning and `^`, `a` and `*`; for each end of these `b`, `$`; for each end of those `*`.
    expect(schemaWork(schema)('{"n":"aabb"}')).toBe(4 * 13 + 13 * 3 + 13 * 2 + 13 * 4 * 2);
  });

  it.each([
    ['behind a quote', '"\\"aaaaaaaaaa"'],
    ['behind a backslash and a quote', '"\\\\\\"aaaaaaaaaa"'],
    ['in a list', '["a","aaaaaaaaaa"]'],
    ['in the name of a property', '{"aaaaaaaaaa":1}'],
  ])('takes no text for shorter than it is: %s', (_, payload) => {
    const nodes = 2;
    const length = payload.length + 1;
    expect(schemaWork({ pattern: 'a*' })(payload)).toBeGreaterThanOrEqual(nodes * length + length * 10);
  });

  it.each([
    ['a reference', { items: { $ref: '#' } }],
    ['a pattern without a bound', { allOf: [{ pattern: '(a+)+' }] }],
    ['such a pattern for names', { patternProperties: { '(a+)+': {} } }],
  ])('has no bound with %s', (_, schema) => {
    expect(schemaWork(schema)('1')).toBe(Infinity);
  });
});
