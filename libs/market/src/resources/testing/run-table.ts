import { change } from '@ssb/testing/market-records';
import { jsonSchemaOf } from '../../json-schema.js';
import { parseJson, serialiseJson } from '../../json.js';
import type { Resource } from '../../resource.js';
import { casesOf, type FieldCase, type FieldTable } from './field-table.js';
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

    const cases = casesOf(table);
    it.each([...new Set(cases.map(({ path }) => path))])('%s', (path) => {
      const wrong = cases
        .filter((one) => one.path === path)
        .flatMap((one) => complaintsOf(resource, one).map((what) => `${one.written}: ${what}`));
      expect(wrong).toEqual([]);
    });

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

/** What goes otherwise than the document says, in words; nothing when all is well. */
function complaintsOf<T>(resource: Resource<T>, { path, wire, written, verdict }: FieldCase): string[] {
  const strict = resource.readStrict(wire());
  const tolerant = resource.readTolerant(wire());
  const complaints: string[] = [];
  if (strict.ok !== (verdict === 'accepted')) complaints.push(`${verdict}, but not by the strict form`);
  if (tolerant.ok !== (verdict !== 'refused')) complaints.push(`${verdict}, but not by the tolerant form`);
  for (const reading of [strict, tolerant])
    if (!reading.ok)
      for (const issue of reading.issues)
        if (!lies(issue.path, path)) complaints.push(`refused at ${issue.path}`);
  // An exponent is written out; everything else keeps its notation.
  const plain = !/^-?\d.*[eE]/.test(written);
  if (strict.ok && plain && resource.serialise(strict.value) !== serialiseJson(wire()))
    complaints.push(`written as ${resource.serialise(strict.value)}`);
  return complaints;
}

/** At the path, or within what stands there. */
function lies(issue: string, path: string): boolean {
  return issue === path || issue.startsWith(`${path}.`) || issue.startsWith(`${path}[`);
}
