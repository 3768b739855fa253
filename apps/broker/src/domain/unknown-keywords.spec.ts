import { ignoreKeyword } from '../channels/schema/topic-schema.js';

it.each([
  ['at the top', { nullable: true, type: 'string' }, { type: 'string' }],
  ['in a list of schemas', { anyOf: [{ nullable: true }, true] }, { anyOf: [{}, true] }],
  ['in a property', { properties: { a: { nullable: true } } }, { properties: { a: {} } }],
  ['where only a reference leads', { 'x-shared': { a: { nullable: true } } }, { 'x-shared': { a: {} } }],
])('a keyword goes %s', (_, schema, expected) => {
  ignoreKeyword(schema, 'nullable');
  expect(schema).toEqual(expected);
});

it.each([
  ['a property', { properties: { nullable: { type: 'string' } } }],
  ['a property of a property', { properties: { properties: { properties: { nullable: {} } } } }],
  ['data', { const: { nullable: true }, enum: [{ nullable: true }], default: { nullable: true } }],
  ['a boolean', true],
])('%s of that name stays', (_, schema) => {
  const before = structuredClone(schema);
  ignoreKeyword(schema, 'nullable');
  expect(schema).toEqual(before);
});
