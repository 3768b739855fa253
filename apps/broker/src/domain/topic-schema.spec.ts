import type { TimeLimit } from './time-limit.js';
import { BadSchemaError, TopicSchemas } from './topic-schema.js';

/** Lets everything run to its end, and tells what it was asked to watch. */
class Unlimited implements TimeLimit {
  watched = 0;

  run<T>(_: string, work: () => T): { readonly value: T } {
    this.watched += 1;
    return { value: work() };
  }
}

const unlimited = (): { check: Unlimited; compile: Unlimited } => ({
  check: new Unlimited(),
  compile: new Unlimited(),
});
const schemas = new TopicSchemas(unlimited());
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
    ['one that goes in a circle', '{"$ref":"#"}', 'without end'],
    ['one that does so for objects', '{"type":"object","allOf":[{"$ref":"#"}]}', 'without end'],
    ['a multipleOf that no number is', '{"multipleOf":0}', 'multipleOf'],
  ])('is refused when it is %s', (_, text, reason) => {
    expect(() => schemas.compile(text)).toThrow(BadSchemaError);
    expect(() => schemas.compile(text)).toThrow(reason);
  });

  it.each([
    ['a plain one', '{}'],
    ['a boolean', 'true'],
    ['the draft named', dated],
    ['keywords of its own', '{"x-unit":"MWh"}'],
    ['an $id that another topic has too', '{"$id":"urn:test:a","type":"object"}'],
    ['the same $id again', '{"$id":"urn:test:a","type":"string"}'],
  ])('is taken when it has %s', (_, text) => {
    expect(() => schemas.compile(text)).not.toThrow();
  });

  it.each([
    ['fits', '{"time":"2026-01-01T08:00:00+08:00","n":1}', undefined],
    ['lacks a field', '{"n":1}', ''],
    ['has a field of another type', '{"time":"2026-01-01T08:00:00Z","n":"1"}', '/n'],
    ['breaks a format', '{"time":"yesterday"}', '/time'],
    ['is no JSON', 'hello', ''],
  ])('judges a payload that %s', (_, payload, path) => {
    expect(schemas.check(dated, payload).map((problem) => problem.path)).toEqual(
      path === undefined ? [] : [path],
    );
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
  ])('%s of %s as draft-07 has it: %s', (schema, payload, fits) => {
    expect(schemas.check(schema, payload).length === 0).toBe(fits);
  });

  it('takes any text when it is true', () => {
    expect(schemas.check('true', 'not JSON at all')).toEqual([]);
  });

  it('refuses a payload that is nested too deeply for a recursive schema', () => {
    const recursive = '{"$id":"urn:test:deep","type":"array","items":{"$ref":"urn:test:deep"}}';
    const depth = 200_000;
    expect(schemas.check(recursive, '['.repeat(depth) + ']'.repeat(depth))).toHaveLength(1);
  });
});

describe('the limit of time', () => {
  const watched = (schema: object, payload: string): number => {
    const limits = unlimited();
    new TopicSchemas(limits).check(JSON.stringify(schema), payload);
    expect(limits.compile.watched).toBe(1);
    return limits.check.watched;
  };
  const recursive = { type: 'array', items: { $ref: '#' } };

  it.each<[string, object, string, number]>([
    ['an ordinary schema', JSON.parse(dated) as object, '{"time":"2026-01-01T08:00:00Z"}', 0],
    ['a pattern that cannot match in many ways', { pattern: '^\\d{4}-\\d{2}$' }, '"2026-01"', 0],
    ['a repetition of what repeats', { pattern: '^(a+)+$' }, '"a"', 1],
    ['the same in the name of a property', { patternProperties: { '^(a+)+$': {} } }, '{"a":1}', 1],
    ['a reference, which may be to itself', recursive, '[[]]', 1],
    ['few items that must differ', { uniqueItems: true }, '[1,2]', 0],
    ['many items that must differ', { uniqueItems: true }, `[${'0,'.repeat(5_000)}1]`, 1],
    ['a pattern over a long text', { pattern: 'a*b' }, `"${'a'.repeat(10_000)}"`, 1],
  ])('is set for %s or is not', (_, schema, payload, times) => {
    expect(watched(schema, payload)).toBe(times);
  });

  it('that is reached is a problem of the payload, or of a new schema', () => {
    const never: TimeLimit = { run: () => undefined };
    const none = new TopicSchemas({ check: never, compile: never });
    const problem = { path: '', message: 'takes too long to be checked against this schema' };
    expect(none.check('{}', '1')).toEqual([problem]);
    expect(() => none.compile('{}')).toThrow(BadSchemaError);
  });
});

describe('compiled schemas', () => {
  const numbered = (index: number, padding = ''): string => JSON.stringify({ const: index, title: padding });

  it('are compiled once each, hundreds of them in use at once', () => {
    const limits = unlimited();
    const many = new TopicSchemas(limits);
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 600; index += 1)
        expect(many.check(numbered(index), `${index}`)).toEqual([]);
    }
    expect(limits.compile.watched).toBe(600);
  });

  it('are forgotten, the least recently used first, when they are too long together', () => {
    const limits = unlimited();
    const many = new TopicSchemas(limits);
    // Three of them are more than 16 Mi characters.
    const [one, two, three] = [1, 2, 3].map((index) => numbered(index, 'x'.repeat(6_000_000)));
    const used = (schema: string | undefined): number => {
      many.check(schema ?? '', '0');
      return limits.compile.watched;
    };
    expect([used(one), used(two), used(one), used(three)]).toEqual([1, 2, 2, 3]);
    expect([used(one), used(three), used(two)]).toEqual([3, 3, 4]);
  });
});
