import { describeType, listFields, sourceOf } from './fields.js';
import {
  boolean,
  constant,
  dateTime,
  decimal,
  described,
  instant,
  integer,
  label,
  list,
  MAX_INT32,
  object,
  oneOf,
  text,
  type JsonSchema,
} from './types/json-schema.js';

it('lists members depth first, with items that are no objects', () => {
  const schema = object(
    {
      id: text(5),
      rows: list(object({ value: decimal, note: label(3) }, ['note'])),
      tags: list(text(9)),
      totals: object({ sum: decimal }),
    },
    ['rows'],
  );
  expect(listFields(schema).map(({ path, isOptional }) => [path, isOptional])).toEqual([
    ['id', false],
    ['rows', true],
    ['rows[].value', false],
    ['rows[].note', true],
    ['tags', false],
    ['tags[]', false],
    ['totals', false],
    ['totals.sum', false],
  ]);
});

it.each<[JsonSchema, string]>([
  [decimal, 'decimal'],
  [described(dateTime, 'A time.'), 'market time'],
  [instant, 'UTC time'],
  [label(20), 'text, at most 20'],
  [integer(0, 3), 'integer, 0 to 3'],
  [integer(1, MAX_INT32), 'integer, from 1'],
  [list(text(1), 100), 'list, at most 100'],
  [list(text(1)), 'list'],
  [boolean, 'true or false'],
  [constant(true), 'true'],
  [oneOf('WEM', 'STEM'), 'WEM, STEM'],
  [object({}), 'object'],
])('%j accepts: %s', (schema, expected) => {
  expect(describeType(schema)).toBe(expected);
});

it('names the source of what the operator publishes', () => {
  expect(sourceOf(described(decimal, 'An amount, AUD.', 'operation 5, value'))).toBe('operation 5, value');
  expect(sourceOf(described(decimal, 'An amount, AUD.'))).toBeUndefined();
});
