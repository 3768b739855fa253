import { describe, expect, it } from '@jest/globals';
import { BadSchemaError, TopicSchemas } from './topic-schema.js';

const schemas = new TopicSchemas();
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

  it('takes any text when it is true', () => {
    expect(schemas.check('true', 'not JSON at all')).toEqual([]);
  });

  it('refuses a payload that is nested too deeply for a recursive schema', () => {
    const recursive = '{"$id":"urn:test:deep","type":"array","items":{"$ref":"urn:test:deep"}}';
    const depth = 200_000;
    expect(schemas.check(recursive, '['.repeat(depth) + ']'.repeat(depth))).toHaveLength(1);
  });
});
