import { checkTopicSchema, compileTopicSchema } from '../topic-schema.js';

/** Expected values are from the specifications: each section is that of core or validation of the draft. */
const URIS: Readonly<Record<string, string>> = {
  'draft-04': 'http://json-schema.org/draft-04/schema#',
  'draft-06': 'http://json-schema.org/draft-06/schema#',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const compile = ($schema: string, schema: object) => {
  const text = JSON.stringify({ $schema, ...schema });
  checkTopicSchema(text);
  return compileTopicSchema(text, Infinity);
};
const accepts = (draft: string, schema: object, payload: unknown): boolean =>
  compile(URIS[draft] ?? '', schema).check(JSON.stringify(payload))?.length === 0;

describe.each(Object.entries(URIS))('%s', (draft, uri) => {
  const bare = uri.replace(/^https?:/, '').replace('#', '');

  it.each([`http:${bare}`, `http:${bare}#`, `https:${bare}`, `https:${bare}#`])(
    'is declared by %s',
    ($schema) => {
      const { check, warnings } = compile($schema, { type: 'object' });
      expect([check('{}'), check('1')?.length, warnings]).toEqual([[], 1, []]);
    },
  );

  it('refuses what its meta-schema forbids', () => {
    expect(() => compile(uri, { minLength: '1' })).toThrow(`by ${draft}, its part "/minLength"`);
  });

  it('divides exactly, counts own properties only, and ignores nullable', () => {
    expect(accepts(draft, { multipleOf: 0.01 }, 19.99)).toBe(true);
    expect(accepts(draft, { required: ['toString'] }, {})).toBe(false);
    expect(accepts(draft, { type: 'string', nullable: true }, null)).toBe(false);
  });

  it('refuses an asynchronous schema, an endless one and a reference to another document', () => {
    expect(() => compile(uri, { $async: true })).toThrow('asynchronous');
    expect(() => compile(uri, { allOf: [{ $ref: '#' }] })).toThrow('without end');
    expect(() => compile(uri, { $ref: 'https://example.org/other.json' })).toThrow('must contain');
  });
});

type Case = readonly [draft: string, section: string, schema: object, valid: unknown, invalid: unknown];

it.each<Case>([
  ['draft-04', 'validation 5.1.2, 5.1.3', { minimum: 1, exclusiveMinimum: true }, 1.5, 1],
  [
    'draft-04',
    'core 7.2',
    { properties: { a: { $ref: 'urn:x:s' } }, definitions: { s: { id: 'urn:x:s', type: 'string' } } },
    { a: '' },
    { a: 1 },
  ],
  ['draft-06', 'validation 6.5, 6.14', { exclusiveMinimum: 1, contains: { const: 2 } }, [2], [1]],
  ['draft-06', 'validation 6.22', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
  [
    'draft-07',
    'validation 6.6',
    { if: { minimum: 5 }, then: { multipleOf: 2 }, else: { multipleOf: 3 } },
    6,
    4,
  ],
  ['2019-09', 'validation 6.5.4', { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  [
    '2020-12',
    'validation 6.5.4, names of keywords',
    { dependentRequired: { nullable: ['a'], if: ['a'], $ref: ['a'] } },
    { nullable: 1, if: 1, $ref: 1, a: 1 },
    { nullable: 1 },
  ],
  [
    'draft-04',
    'reference 3',
    { items: { $ref: '#/definitions/a', type: 'object' }, definitions: { a: { minimum: 1 } } },
    [1],
    [0],
  ],
  [
    'draft-06',
    'core 8',
    { items: { $ref: '#/definitions/a', type: 'object' }, definitions: { a: { minimum: 1 } } },
    [1],
    [0],
  ],
  [
    'draft-07',
    'core 8.3',
    { items: { $ref: '#/definitions/a', type: 'object' }, definitions: { a: { minimum: 1 } } },
    [1],
    [0],
  ],
  ['2019-09', 'core 9.2.2.4', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1, b: 1 }, { a: 1 }],
  ['2019-09', 'validation 6.4.4', { contains: { const: 1 }, maxContains: 1 }, [1, 2], [1, 1]],
  [
    '2019-09',
    'core 8.2.4.1',
    { properties: { a: { $ref: '#/$defs/s', minLength: 1 } }, $defs: { s: { type: 'string' } } },
    { a: 'x' },
    { a: '' },
  ],
  [
    '2019-09',
    'core 8.2.3',
    { properties: { a: { $ref: '#s' } }, $defs: { s: { $anchor: 's', type: 'string' } } },
    { a: '' },
    { a: 1 },
  ],
  [
    '2020-12',
    'core 8.2.2',
    { items: { $ref: '#n' }, $defs: { n: { $dynamicAnchor: 'n', type: 'number' } } },
    [1],
    ['1'],
  ],
  ['2020-12', 'core 10.3.1.1', { prefixItems: [{ const: 1 }], items: { const: 2 } }, [1, 2], [1, 1]],
])('%s, %s', (draft, _section, schema, valid, invalid) => {
  expect([accepts(draft, schema, valid), accepts(draft, schema, invalid)]).toEqual([true, false]);
});

it('draft-04 has properties named id', () => {
  const schema = {
    properties: { id: { type: 'string' }, items: { enum: [{ id: 'a' }, { id: 'a', b: 1 }] } },
  };
  expect(compile(URIS['draft-04'] ?? '', schema).warnings).toEqual([]);
  expect(accepts('draft-04', schema, { id: 'a', items: { id: 'a' } })).toBe(true);
  expect(accepts('draft-04', schema, { id: 1 })).toBe(false);
});

it.each<readonly [draft: string, keyword: string, schema: object, payload: unknown]>([
  ['draft-04', 'const', { const: 1 }, 2],
  ['draft-04', 'if', { if: true, then: false }, 1],
  ['draft-04', '$id', { $id: 'urn:x:y' }, 1],
  ['draft-06', 'id', { id: 'urn:x:y' }, 1],
  ['draft-06', 'if', { if: true, then: false }, 1],
  ['draft-07', 'unevaluatedProperties', { unevaluatedProperties: false }, { a: 1 }],
  ['draft-07', 'dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }],
  ['2019-09', 'prefixItems', { prefixItems: [false] }, [1]],
  ['2020-12', 'additionalItems', { prefixItems: [true], additionalItems: false }, [1, 2]],
  [
    '2020-12',
    '$recursiveRef',
    { properties: { a: { $recursiveRef: '#' } }, maxProperties: 1 },
    { a: { b: 1, c: 1 } },
  ],
])('%s does not know %s, a keyword of another draft', (draft, keyword, schema, payload) => {
  const { check, warnings } = compile(URIS[draft] ?? '', schema);
  expect(check(JSON.stringify(payload))).toEqual([]);
  expect(warnings.some(({ message }) => message.startsWith(`${keyword} is not a keyword of ${draft}`))).toBe(
    true,
  );
});
