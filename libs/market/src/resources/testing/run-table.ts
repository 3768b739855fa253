import { describe, expect, it } from '@jest/globals';
import { jsonSchemaOf } from '../../json-schema.js';
import { parseJson, serialiseJson } from '../../json.js';
import { change } from '../../testing/change.js';
import { type FieldCase, type FieldTable, casesOf } from './field-table.js';
import { objectsIn } from './schema-objects.js';

/** Walks every row of a resource's tables, in both forms. */
export function testTable<T>(table: FieldTable<T>): void {
  const { resource, record, objects, items = {} } = table;

  describe(`${resource.name}, as document 000 tables it`, () => {
    it('has a row for every field, and a field for every row', () => {
      const rows = Object.fromEntries(
        Object.entries(objects).map(([path, fields]) => [
          path,
          {
            fields: Object.keys(fields).sort(),
            required: Object.keys(fields)
              .filter((field) => fields[field]?.required)
              .sort(),
          },
        ]),
      );
      const schema = objectsIn(jsonSchemaOf(resource));
      expect(rows).toEqual(schema.objects);
      expect(Object.keys(items).sort()).toEqual(schema.items);
    });

    it('takes the full record and writes it with every digit it came with', () => {
      expect(resource.readStrict(parseJson(record))).toMatchObject({ ok: true });
      expect(resource.readTolerant(parseJson(record))).toMatchObject({ ok: true, unknownProperties: [] });
      expect(resource.serialise(resource.strict.parse(parseJson(record)))).toBe(
        serialiseJson(parseJson(record)),
      );
    });

    it.each(casesOf(table).map((one) => [one.path, one.written, one] as const))(
      '%s: %s',
      (_path, _written, one) => {
        if (one.verdict === 'accepted') expectAccepted(table, one);
        else expectRefused(table, one);
      },
    );

    it.each(Object.keys(objects))('has no other property in the object at "%s"', (object) => {
      const path = object === '' ? 'surprise' : `${object}.surprise`;
      const wire = change(record, path, '{ "a": 1 }');
      expect(resource.readStrict(wire)).toEqual({
        ok: false,
        issues: [{ path, message: 'unknown property' }],
      });
      expect(resource.readTolerant(wire)).toMatchObject({ ok: true, unknownProperties: [path] });
    });

    it.each(['null', '[]', '"text"', '1'])('is not %s', (text) => {
      expect(resource.readStrict(parseJson(text)).ok).toBe(false);
    });
  });
}

function expectAccepted<T>({ resource }: FieldTable<T>, { wire, written }: FieldCase): void {
  const reading = resource.readStrict(wire());
  expect(reading).toMatchObject({ ok: true });
  expect(resource.readTolerant(wire())).toMatchObject({ ok: true });
  // An exponent is written out; everything else keeps its notation.
  const plain = !/^-?\d.*[eE]/.test(written);
  if (reading.ok && plain) expect(resource.serialise(reading.value)).toBe(serialiseJson(wire()));
}

/** Refused for this field and no other. */
function expectRefused<T>({ resource }: FieldTable<T>, { path, wire, verdict }: FieldCase): void {
  const strict = resource.readStrict(wire());
  const tolerant = resource.readTolerant(wire());
  expect(strict.ok).toBe(false);
  expect(tolerant.ok).toBe(verdict === 'refused strictly');
  for (const reading of [strict, tolerant])
    if (!reading.ok)
      for (const issue of reading.issues) expect(issue.path.startsWith(path) ? path : issue.path).toBe(path);
}
