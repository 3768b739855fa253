import { DRAFT_07, DRAFTS, type Draft } from './draft.js';
import { prepareSchema, readDraft } from './prepare-schema.js';

const isFormat = (name: string): boolean => name === 'date';
const prepare = (schema: object, draft: Draft = DRAFT_07) => prepareSchema(schema, draft, isFormat);
const draftOf = (name: string): Draft => DRAFTS.find((draft) => draft.name === name) as Draft;

describe('nullable, which Ajv applies', () => {
  it.each([
    ['at the top', { nullable: true, type: 'string' }, { type: 'string' }],
    ['in a list of schemas', { anyOf: [{ nullable: true }, true] }, { anyOf: [{}, true] }],
    ['in a property', { properties: { a: { nullable: true } } }, { properties: { a: {} } }],
    ['below an unknown keyword', { 'x-shared': { a: { nullable: true } } }, { 'x-shared': { a: {} } }],
  ])('is removed %s', (_, schema, expected) => {
    prepare(schema);
    expect(schema).toEqual(expected);
  });

  it.each<[string, object, string?]>([
    ['a property', { properties: { nullable: { type: 'string' } } }],
    ['a property of a property', { properties: { properties: { properties: { nullable: {} } } } }],
    ['data', { const: { nullable: true }, enum: [{ nullable: true }], default: { nullable: true } }],
    ['a property on which others depend', { dependencies: { nullable: ['a'] }, required: ['nullable'] }],
    [
      'such a property in 2020-12',
      { dependentRequired: { nullable: ['a'], $dynamicRef: ['a'] }, $vocabulary: { nullable: true } },
      '2020-12',
    ],
  ])('stays where the name is that of %s', (_, schema, name = 'draft-07') => {
    const before = structuredClone(schema);
    expect(prepare(schema, draftOf(name))).toEqual([]);
    expect(schema).toEqual(before);
  });
});

describe('a warning', () => {
  it.each<[string, object, string[]]>([
    ['an unknown keyword', { 'x-unit': 'MWh' }, [' x-unit']],
    [
      'one in each place of a schema',
      {
        properties: { 'a/b~': { 'x-a': 1 } },
        items: [{ 'x-b': 1 }],
        not: { 'x-c': 1 },
        dependencies: { a: { 'x-d': 1 }, b: ['x-e'] },
      },
      ['/dependencies/a x-d', '/items/0 x-b', '/not x-c', '/properties/a~1b~0 x-a'],
    ],
    ['the unknown keyword alone, not what is below it', { 'x-shared': { 'x-a': 1 } }, [' x-shared']],
    [
      'what a reference makes a schema',
      {
        $ref: '#/x-shared/a%20b',
        'x-shared': { 'a b': { 'x-a': 1, properties: { c: { 'x-b': 1 } } }, d: { 'x-c': 1 } },
      },
      [' x-shared', '/x-shared/a b x-a', '/x-shared/a b/properties/c x-b'],
    ],
    ['an unknown format', { format: 'dates', items: { format: 'date' } }, [' dates']],
    [
      'a keyword that $ref hides',
      { items: { $ref: '#/definitions/a', minLength: 1, title: 'a' }, definitions: { a: true } },
      ['/items minLength'],
    ],
    [
      'nothing of data',
      { enum: [{ 'x-a': 1 }], const: { 'x-a': 1 }, default: { 'x-a': 1 }, examples: [{ 'x-a': 1 }] },
      [],
    ],
  ])('reports %s', (_, schema, expected) => {
    const warnings = prepare(schema).map(({ path, message }) => `${path} ${message.split(' ', 1)[0]}`);
    expect(warnings.sort()).toEqual(expected);
  });

  it('says in which drafts the keyword is known', () => {
    expect(prepare({ dependentRequired: { a: ['b'] } })).toEqual([
      {
        path: '',
        message:
          'dependentRequired is not a keyword of draft-07 and is not evaluated; it is a keyword of 2019-09, 2020-12',
      },
    ]);
  });

  it('is short, and the list of warnings too', () => {
    const schema = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${index}`.repeat(1_000), 1]),
    );
    const warnings = prepare(schema);
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toEqual({ path: '', message: '980 more parts are not evaluated' });
    expect(JSON.stringify(warnings).length).toBeLessThan(10_000);
  });
});

const UNEVALUATED = /^(unevaluated.+|.(dynamic|recursive)Ref)$/;

describe('a refusal names the keyword, its place and the known ones', () => {
  it.each([
    ['draft-07', { items: { $schema: 'http://json-schema.org/draft-04/schema#' } }, '$schema at "/items"'],
    [
      'draft-07',
      { items: JSON.parse('{"properties":{"__proto__":{}}}') as object },
      'properties at "/items"',
    ],
    ['2019-09', { items: { unevaluatedProperties: false } }, 'unevaluatedProperties at "/items"'],
    ['2019-09', { not: { $recursiveRef: '#' } }, '$recursiveRef at "/not"'],
    ['2020-12', { anyOf: [{ unevaluatedItems: {} }] }, 'unevaluatedItems at "/anyOf/0"'],
    ['2020-12', { $defs: { a: { $dynamicRef: '#a' } } }, '$dynamicRef at "/$defs/a"'],
    [
      '2020-12',
      { $id: 'urn:x:y', $ref: 'urn:x:y#/x-shared', 'x-shared': { unevaluatedItems: false } },
      'unevaluatedItems at "/x-shared" is a keyword that this broker does not evaluate',
    ],
  ])('%s: %j', (name, schema, start) => {
    const draft = draftOf(name);
    expect(() => prepare(schema, draft)).toThrow(
      expect.objectContaining({
        name: 'BadSchemaError',
        message: expect.stringContaining(start),
        known: [...draft.keywords].filter((keyword) => !UNEVALUATED.test(keyword)).sort(),
      }),
    );
  });

  it('of an unknown draft names the known ones', () => {
    for (const $schema of [
      'http://json-schema.org/draft-03/schema#',
      'https://example.org/mine',
      '',
      7,
      null,
    ]) {
      expect(() => readDraft({ $schema })).toThrow(
        expect.objectContaining({
          message: expect.stringContaining('https://json-schema.org/draft/2020-12/schema'),
          known: DRAFTS.map(({ uri }) => uri),
        }),
      );
    }
  });
});
