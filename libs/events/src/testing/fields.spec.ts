import { listFields } from './fields.js';
import { decimal, label, list, object, text } from '../types/json-schema.js';

it('lists members depth first, with items that are not objects', () => {
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
