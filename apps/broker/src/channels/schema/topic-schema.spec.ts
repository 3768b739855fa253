import { readdirSync, readFileSync } from 'node:fs';
import { BadSchemaError } from './drafts/prepare-schema.js';
import { checkTopicSchema, compileTopicSchema, findProblems } from './topic-schema.js';

const compile = (text: string) => {
  checkTopicSchema(text);
  return compileTopicSchema(text, Infinity);
};
const check = (schema: string, payload: string) => compile(schema).check(payload);
const draft = 'http://json-schema.org/draft-07/schema#';
const timeSchema = JSON.stringify({
  $schema: draft,
  type: 'object',
  properties: { time: { type: 'string', format: 'date-time' }, n: { type: 'integer' } },
  required: ['time'],
});

describe('a topic schema', () => {
  it.each([
    ['not JSON', '{', 'not JSON'],
    ['a number', '1', 'neither an object nor a boolean'],
    ['an array', '[]', 'neither an object nor a boolean'],
    ['an unknown type', '{"type":"text"}', 'type'],
    ['an invalid keyword value', '{"minLength":-1}', 'minLength'],
    ['a pattern that is not a regular expression', '{"pattern":"("}', 'regular expression'],
    ['a reference to another document', '{"$ref":"https://example.org/other.json"}', 'example.org'],
    ['an asynchronous schema', '{"$async":true}', 'asynchronous'],
    ['an endless self-reference', '{"$ref":"#"}', 'without end'],
    ['an endless self-reference of objects', '{"type":"object","allOf":[{"$ref":"#"}]}', 'without end'],
    ['a multipleOf of zero', '{"multipleOf":0}', 'multipleOf'],
    [
      'a multipleOf of zero that only a reference reaches',
      '{"x":{"multipleOf":0},"$ref":"#/x"}',
      'multipleOf',
    ],
    ['a property __proto__', '{"properties":{"a":{"properties":{"__proto__":{}}}}}', '__proto__'],
    ['too many levels', `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`, 'nested too deeply'],
  ])('is refused: %s', (_, text, reason) => {
    expect(() => compile(text)).toThrow(BadSchemaError);
    expect(() => compile(text)).toThrow(reason);
  });

  it.each([
    ['is valid', '{"time":"2026-01-01T08:00:00+08:00","n":1}', undefined],
    ['lacks a field', '{"n":1}', ''],
    ['has a field of the wrong type', '{"time":"2026-01-01T08:00:00Z","n":"1"}', '/n'],
    ['violates a format', '{"time":"yesterday"}', '/time'],
    ['is not JSON', 'hello', ''],
  ])('validates a payload that %s', (_, payload, path) => {
    const paths = check(timeSchema, payload)?.map((problem) => problem.path);
    expect(paths).toEqual(path === undefined ? [] : [path]);
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
    ['{"$ref":"#/x-shared/a","x-shared":{"a":{"type":"string","nullable":true}}}', 'null', false],
    ['{"$ref":"#/definitions/a","type":"string","definitions":{"a":{}}}', '1', true],
    ['{"items":{"$ref":"#/definitions/a","type":["object"]},"definitions":{"a":{}}}', '[1]', true],
    ['{"items":{"$ref":"#/items/not","not":{"type":"number"},"type":"string"}}', '[1]', true],
    ['{"items":{"$ref":"#/items/not","not":{"type":"number"},"type":"string"}}', '["a"]', false],
    // Core §8.3: all keywords beside $ref are ignored, an $id too.
    [
      '{"properties":{"a":{"$ref":"#/definitions/a","minLength":2}},"definitions":{"a":true}}',
      '{"a":"x"}',
      true,
    ],
    [
      '{"$id":"urn:x:y","items":{"$id":"urn:x:z","$ref":"#/definitions/a"},"definitions":{"a":false}}',
      '[1]',
      false,
    ],
  ])('draft-07 %s accepts %s: %s', (schema, payload, isValid) => {
    expect(check(schema, payload)?.length === 0).toBe(isValid);
  });

  it('can have the $id of another schema', () => {
    const schemas = ['object', 'string'].map((type) => compile(`{"$id":"urn:test:a","type":"${type}"}`));
    expect(schemas.map((each) => each.check('""')?.length)).toEqual([1, 0]);
  });

  it('refuses a payload that is nested too deeply for a recursive schema', () => {
    const recursive = '{"$id":"urn:test:deep","type":"array","items":{"$ref":"urn:test:deep"}}';
    const depth = 200_000;
    expect(check(recursive, '['.repeat(depth) + ']'.repeat(depth))).toHaveLength(1);
  });
});

it('an unexpected error of a check is a problem of the payload, without its text', () => {
  const validate = () => {
    throw new TypeError('secret is not a function');
  };
  expect(findProblems(validate, 1)).toEqual([{ path: '', message: 'cannot be checked against this schema' }]);
});

describe('the step limit', () => {
  const recursive = { type: 'array', items: { $ref: '#' } };

  it.each<[string, object, string, boolean]>([
    ['an ordinary schema', JSON.parse(timeSchema) as object, '{"time":"2026-01-01T08:00:00Z","n":1}', true],
    ['a pattern without repetition', { pattern: '^\\d{4}-\\d{2}$' }, '"2026-01"', true],
    ['a repeated group with a repetition', { pattern: '^(a+)+$' }, '"a"', false],
    ['the same in patternProperties', { patternProperties: { '^(a+)+$': { const: 1 } } }, '{"a":1}', false],
    ['a reference, which can be recursive', recursive, '[[]]', false],
    ['few unique items', { uniqueItems: true }, '[1,2]', true],
    ['many unique items', { uniqueItems: true }, `[${'0,'.repeat(5_000)}1]`, false],
    ['a pattern over a long text', { pattern: 'a*b' }, `"${'a'.repeat(10_000)}"`, false],
    ['many short texts', { items: { pattern: '^b*$' } }, `[${'"b",'.repeat(5_000)}"b"]`, true],
    [
      'a large schema over a large payload',
      { enum: Array.from({ length: 10_000 }, (_, index) => index) },
      ' '.repeat(10_000),
      false,
    ],
  ])('is applied to %s', (_, schema, payload, isWithinLimit) => {
    const problems = compileTopicSchema(JSON.stringify(schema), 2 ** 25).check(payload);
    expect(problems).toEqual(isWithinLimit ? [] : undefined);
  });

  it('accepts the example of each event', () => {
    const folder = new URL('../../../../../../libs/events/', import.meta.url);
    const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
    const names = readdirSync(new URL('schemas/', folder));
    const tooSlow = names.filter((name) => {
      const problems = compileTopicSchema(read(`schemas/${name}`), 2 ** 25).check(read(`examples/${name}`));
      return problems?.length !== 0;
    });
    expect(names.length).toBeGreaterThan(20);
    expect(tooSlow).toEqual([]);
  });

  it('keeps the main thread from 10 MB of errors', () => {
    const schema = JSON.stringify({ contains: { anyOf: Array(50).fill(false) } });
    const { check: run } = compileTopicSchema(schema, 2 ** 25);
    const list = (length: number) => `[${'1,'.repeat(length)}1]`;
    expect([run(list(200)), run(list(4_000))]).toEqual([[expect.anything()], undefined]);
  });

  it('counts the steps of each payload separately', () => {
    const { check: run } = compileTopicSchema('{"pattern":"a*b"}', 1_000);
    expect(Array.from({ length: 6 }, () => run('"ab"'))).toEqual(Array(6).fill([]));
  });

  it('is known to be exceeded without compiling the schema', () => {
    const endless = '{"$ref":"#"}';
    expect(() => compileTopicSchema(endless, Infinity)).toThrow('without end');
    expect(compileTopicSchema(endless, 2 ** 25).check('1')).toBeUndefined();
  });
});
