import { compileTopicSchema, checkTopicSchema } from '../topic-schema.js';

const URI_06 = 'http://json-schema.org/draft-06/schema#';
const URI_2019 = 'https://json-schema.org/draft/2019-09/schema';
const URI_2020 = 'https://json-schema.org/draft/2020-12/schema';

function check(schema: object, payload: string): readonly string[] | undefined {
  const text = JSON.stringify(schema);
  checkTopicSchema(text);
  return compileTopicSchema(text, Infinity)
    .check(payload)
    ?.map(({ path, message }) => `${path} ${message}`);
}

const accepts = (schema: object, payload: unknown): boolean =>
  check(schema, JSON.stringify(payload))?.length === 0;

const METHODS = ['toString', 'valueOf', 'constructor', 'hasOwnProperty'].map((name) => ({ [name]: 1 }));

describe.each(METHODS)('a payload with the member %j', (object) => {
  it.each([
    ['const', { const: object }, object, { a: 1 }],
    ['const of another object', { const: { a: 1 } }, { a: 1 }, object],
    ['enum', { enum: ['x', object] }, object, { a: 1 }],
    ['enum of another object', { enum: ['x', { a: 1 }] }, { a: 1 }, object],
    ['uniqueItems', { uniqueItems: true }, [object, { a: 1 }], [object, { a: 1 }, object]],
    ['a schema with it in enum twice', { enum: [object, [object]] }, [object], [[object]]],
  ])('is checked by %s', (_, schema, valid, invalid) => {
    expect([accepts(schema, valid), accepts(schema, invalid)]).toEqual([true, false]);
  });
});

it.each([
  [{ const: 0 }, '-0', true],
  [{ const: 1 }, '1.0', true],
  [{ const: { a: 1, b: [2] } }, '{"b":[2],"a":1}', true],
  [{ const: { a: 1 } }, '{"a":1,"b":2}', false],
  [{ const: [] }, '{}', false],
  [{ const: { 0: 1 } }, '[1]', false],
  [{ const: false }, '0', false],
  [{ const: null }, 'null', true],
  [{ const: { a: 1 } }, '{"__proto__":{"a":1}}', false],
  [{ enum: [null, 0, ''] }, 'false', false],
  [{ enum: [[1, { a: 0 }]] }, '[1,{"a":-0}]', true],
  [{ uniqueItems: true }, '[1,true,"1",[1],[true],{"a":1},{"a":true},null,0,false,""]', true],
  [{ uniqueItems: true }, '[0,-0]', false],
  [{ uniqueItems: true }, '[{"a":1,"b":2},{"b":2,"a":1}]', false],
  [{ uniqueItems: false }, '[1,1]', true],
])('equality by draft-07 core §4.2.3: %j of %s', (schema, payload, isValid) => {
  expect(check(schema, payload)?.length === 0).toBe(isValid);
});

it('describes what it expects', () => {
  expect(check({ const: 1 }, '2')).toEqual([' must be equal to constant']);
  expect(check({ enum: [1] }, '2')).toEqual([' must be equal to one of the allowed values']);
  expect(check({ uniqueItems: true }, '[2,2]')).toEqual([' must NOT have duplicate items']);
  expect(check({ items: { contains: { const: 1 } } }, '[[2]]')).toEqual([
    '/0 must contain at least 1 valid item(s)',
  ]);
  expect(check({ $schema: URI_2019, contains: true, minContains: 2, maxContains: 3 }, '[1]')).toEqual([
    ' must contain at least 2 and no more than 3 valid item(s)',
  ]);
});

it.each([
  [{ items: { contains: { type: 'number' } } }, [[1], [1, 'a']], [[1], []]],
  [{ items: { $ref: '#/definitions/a' }, definitions: { a: { contains: { const: 1 } } } }, [[1]], [[1], []]],
  [{ properties: { a: { contains: true }, b: { contains: { const: 1 } } } }, { b: [1] }, { a: [1], b: [] }],
  [{ patternProperties: { '.': { contains: { const: 1 } } } }, { a: [1] }, { a: [1], b: [] }],
  [{ anyOf: [{ items: [{ minimum: 1 }], contains: { const: 1 } }] }, [1], []],
  [{ items: [false, true], contains: { type: 'object' } }, undefined, []],
  [{ items: [{ type: 'number' }], contains: { type: 'object' } }, [1, {}], []],
  [{ $schema: URI_06, items: [{ type: 'number' }], contains: { type: 'object' } }, [1, {}], []],
  [{ $schema: URI_2019, items: [true], additionalItems: true, contains: { const: 1 } }, [1], []],
  [{ $schema: URI_2019, items: [true], contains: { const: 1 }, minContains: 2 }, [1, 1], []],
  [{ $schema: URI_2020, prefixItems: [true], items: true, contains: { const: 1 } }, [1], []],
  [{ $schema: URI_2020, prefixItems: [true], contains: { const: 1 }, minContains: 2 }, [1, 1], []],
  [{ $schema: URI_2020, contains: { const: 1 }, minContains: 0, maxContains: 1 }, [], [1, 1]],
  [{ $schema: URI_2020, contains: { const: 1 }, minContains: 0 }, [], undefined],
  [{ $schema: URI_2020, contains: { const: 1 }, minContains: 2, maxContains: 1 }, undefined, [1, 1]],
  [{ $schema: URI_2020, items: { contains: true, maxContains: 1 } }, [[1]], [[1], [1, 1]]],
  [{ contains: { const: 1 }, minContains: 2 }, [1], [2]],
])('contains counts the items of each list: %j', (schema, valid, invalid) => {
  if (valid !== undefined) expect(accepts(schema, valid)).toBe(true);
  if (invalid !== undefined) expect(accepts(schema, invalid)).toBe(false);
});
