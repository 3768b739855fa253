import { checkTopicSchema, compileTopicSchema } from '../topic-schema.js';

/** Valid and invalid payloads by the text of the specifications: core or validation, with the section. */
type Case = readonly [
  section: string,
  schema: object,
  valid: readonly unknown[],
  invalid: readonly unknown[],
];

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'http://json-schema.org/draft-04/schema#': [
    ['validation 5.1.1', { multipleOf: 2 }, [4, 'a'], [3]],
    ['validation 5.2.3', { pattern: 'b' }, ['abc', 1], ['ac']],
    [
      'validation 5.3.1',
      { items: [{ type: 'string' }], additionalItems: false },
      [[], ['a']],
      [[1], ['a', 1]],
    ],
    [
      'validation 5.4.4',
      { properties: { a: {} }, patternProperties: { '^b': {} }, additionalProperties: false },
      [{ a: 1, b1: 1 }],
      [{ c: 1 }],
    ],
    [
      'validation 5.4.5',
      { dependencies: { a: ['b'], c: { required: ['d'] } } },
      [{ a: 1, b: 1 }, {}],
      [{ a: 1 }, { c: 1 }],
    ],
    ['validation 5.5.5', { oneOf: [{ minimum: 2 }, { maximum: 3 }] }, [1, 4], [2]],
  ],
  'http://json-schema.org/draft-06/schema#': [
    ['core 4.2, 1.0 is an integer', { type: 'integer' }, [1, -3e2], [1.5, '1']],
    ['validation 6.14', { contains: { minimum: 5 } }, [[1, 5], {}], [[], [1]]],
    [
      'validation 6.23, 6.24',
      { enum: [[1], { a: null }], not: { const: [1] } },
      [{ a: null }],
      [[1], { a: 0 }],
    ],
    ['core 4.3.1', { properties: { a: false, b: true } }, [{ b: 1 }], [{ a: 1 }]],
  ],
  'http://json-schema.org/draft-07/schema#': [
    ['core 4.2.3', { const: { a: 1, b: [1, 2] } }, [{ b: [1, 2], a: 1 }], [{ a: 1, b: [2, 1] }]],
    ['validation 6.1.1', { type: ['string', 'null'] }, ['', null], [0, [], {}]],
    ['validation 6.3.1, code points', { maxLength: 1 }, ['😀'], ['ab']],
    [
      'validation 6.4.5',
      { uniqueItems: true },
      [[1, '1', [1]]],
      [
        [1, 1],
        [{ a: 1 }, { a: 1 }],
      ],
    ],
    ['validation 6.5.8', { propertyNames: { pattern: '^a' } }, [{ a: 1 }, {}, 1], [{ b: 1 }]],
    ['validation 6.6.2, without if', { then: false, else: false }, [1], []],
    [
      'core 8.3',
      { properties: { a: { $ref: '#/definitions/n', maximum: 1 } }, definitions: { n: { type: 'number' } } },
      [{ a: 2 }],
      [{ a: '2' }],
    ],
    [
      'core 8.2.3',
      { items: { $ref: '#n' }, definitions: { n: { $id: '#n', type: 'number' } } },
      [[1]],
      [['1']],
    ],
  ],
  'https://json-schema.org/draft/2019-09/schema': [
    ['core 8.2.4.1', { $ref: '#/$defs/n', minimum: 2, $defs: { n: { type: 'number' } } }, [2], [1, '2']],
    ['core 9.3.1.1', { items: [true], additionalItems: { type: 'string' } }, [[1, 'a'], []], [[1, 2]]],
    ['core 9.3.1.4, validation 6.4.5', { contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
    [
      'validation 6.4.4, 6.4.5',
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [
        [1, 1],
        [1, 1, 1, 2],
      ],
      [[], [1], [1, 1, 1, 1]],
    ],
  ],
  'https://json-schema.org/draft/2020-12/schema': [
    [
      'core 10.3.1.2',
      { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [['a', 1], []],
      [[1], ['a', 'b']],
    ],
    [
      'core 10.3.1.3',
      { prefixItems: [{ type: 'string' }], contains: { type: 'number' } },
      [['a', 1]],
      [[], ['a']],
    ],
    [
      'core 10.3.2.3',
      { properties: { a: true }, additionalProperties: { type: 'string' } },
      [{ a: 1, b: '' }],
      [{ b: 1 }],
    ],
    [
      'core 10.2.2.4',
      { dependentSchemas: { a: { maxProperties: 1 } } },
      [{ a: 1 }, { b: 1, c: 1 }],
      [{ a: 1, b: 1 }],
    ],
    ['validation 6.5.4', { dependentRequired: { type: ['b'] } }, [{ type: 1, b: 1 }, {}], [{ type: 1 }]],
  ],
};

describe.each(Object.entries(CASES))('%s', ($schema, cases) => {
  it.each(cases)('%s', (_, schema, valid, invalid) => {
    const text = JSON.stringify({ $schema, ...schema });
    checkTopicSchema(text);
    const { check } = compileTopicSchema(text, Infinity);
    const accepted = [...valid, ...invalid].filter((payload) => check(JSON.stringify(payload))?.length === 0);
    expect(accepted).toEqual(valid);
  });
});
