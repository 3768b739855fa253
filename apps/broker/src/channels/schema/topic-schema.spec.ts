import { BadSchemaError, compileTopicSchema } from './topic-schema.js';

const check = (schema: string, payload: string) => compileTopicSchema(schema, Infinity)(payload);
const draft = 'http://json-schema.org/draft-07/schema#';
const dated = JSON.stringify({
  $schema: draft,
  type: 'object',
  properties: { time: { type: 'string', format: 'date-time' }, n: { type: 'integer' } },
  required: ['time'],
});

describe('a topic schema', () => {
  it.each([
    ['no JSON', '{', 'not JSON'],
    ['a number', '1', 'neither an object nor a boolean'],
    ['an array', '[]', 'neither an object nor a boolean'],
    ['an unknown type', '{"type":"text"}', 'type'],
    ['a wrong keyword value', '{"minLength":-1}', 'minLength'],
    ['a pattern that is no regular expression', '{"pattern":"("}', 'regular expression'],
    ['another draft', '{"$schema":"https://json-schema.org/draft/2020-12/schema"}', '2020-12'],
    ['a reference to elsewhere', '{"$ref":"https://example.org/other.json"}', 'example.org'],
    ['an asynchronous one', '{"$async":true}', 'asynchronous'],
    ['one that refers to itself', '{"$ref":"#"}', 'without end'],
    ['one that refers to itself for objects', '{"type":"object","allOf":[{"$ref":"#"}]}', 'without end'],
    ['a multipleOf of zero', '{"multipleOf":0}', 'multipleOf'],
  ])('is refused when it is %s', (_, text, reason) => {
    expect(() => compileTopicSchema(text, Infinity)).toThrow(BadSchemaError);
    expect(() => compileTopicSchema(text, Infinity)).toThrow(reason);
  });

  it.each([
    ['no keywords', '{}'],
    ['a boolean', 'true'],
    ['the draft named', dated],
    ['keywords of its own', '{"x-unit":"MWh"}'],
    ['an $id that another topic has too', '{"$id":"urn:test:a","type":"object"}'],
    ['the same $id again', '{"$id":"urn:test:a","type":"string"}'],
  ])('is accepted when it has %s', (_, text) => {
    expect(() => compileTopicSchema(text, Infinity)).not.toThrow();
  });

  it.each([
    ['fits', '{"time":"2026-01-01T08:00:00+08:00","n":1}', undefined],
    ['lacks a field', '{"n":1}', ''],
    ['has a field of another type', '{"time":"2026-01-01T08:00:00Z","n":"1"}', '/n'],
    ['breaks a format', '{"time":"yesterday"}', '/time'],
    ['is no JSON', 'hello', ''],
  ])('validates a payload that %s', (_, payload, path) => {
    expect(check(dated, payload)?.map((problem) => problem.path)).toEqual(path === undefined ? [] : [path]);
  });

  it.each([
    ['{"multipleOf":0.01}', '19.99', true],
    ['{"multipleOf":0.01}', '19.999', false],
    ['{"required":["toString"]}', '{}', false],
    ['{"required":["__proto__"]}', '{}', false],
    ['{"required":["__proto__"]}', '{"__proto__":1}', true],
    ['{"properties":{"constructor":{"type":"string"}}}', '{}', true],
    ['{"dependencies":{"toString":["a"]}}', '{}', true],
    ['{"additionalProperties":false}', '{"toString":1}', false],
    ['{"type":"string","nullable":true}', 'null', false],
    ['{"nullable":true}', '1', true],
  ])('%s accepts %s by draft-07: %s', (schema, payload, fits) => {
    expect(check(schema, payload)?.length === 0).toBe(fits);
  });

  it('refuses a payload that is nested too deeply for a recursive schema', () => {
    const recursive = '{"$id":"urn:test:deep","type":"array","items":{"$ref":"urn:test:deep"}}';
    const depth = 200_000;
    expect(check(recursive, '['.repeat(depth) + ']'.repeat(depth))).toHaveLength(1);
  });
});

describe('the maximum of steps', () => {
  const recursive = { type: 'array', items: { $ref: '#' } };

  it.each<[string, object, string, boolean]>([
    ['an ordinary schema', JSON.parse(dated) as object, '{"time":"2026-01-01T08:00:00Z","n":1}', true],
    ['a pattern without repetition', { pattern: '^\\d{4}-\\d{2}$' }, '"2026-01"', true],
    ['a repeated group with a repetition', { pattern: '^(a+)+$' }, '"a"', false],
    ['the same in a property name', { patternProperties: { '^(a+)+$': { const: 1 } } }, '{"a":1}', false],
    ['a reference, which can be recursive', recursive, '[[]]', false],
    ['few unique items', { uniqueItems: true }, '[1,2]', true],
    ['many unique items', { uniqueItems: true }, `[${'0,'.repeat(5_000)}1]`, false],
    ['a pattern over a long text', { pattern: 'a*b' }, `"${'a'.repeat(10_000)}"`, false],
    ['many short texts', { items: { pattern: '^b*$' } }, `[${'"b",'.repeat(5_000)}"b"]`, true],
    [
      'a large schema over a large payload',
      { enum: Array.from({ length: 10_000 }, (_, at) => at) },
      ' '.repeat(10_000),
      false,
    ],
  ])('is checked for %s', (_, schema, payload, kept) => {
    expect(compileTopicSchema(JSON.stringify(schema), 2 ** 25)(payload)).toEqual(kept ? [] : undefined);
  });

  it('applies to each payload by itself', () => {
    const compiled = compileTopicSchema('{"pattern":"a*b"}', 1_000);
    const fits = () => compiled('"ab"');
    expect([fits(), fits(), fits(), fits(), fits(), fits()]).toEqual(Array(6).fill([]));
  });
});
