import { change } from '@ssb/testing/market-records';
import { type JsonSchema, type Resource, toJsonSchema } from '../src/schema/resource.js';
import { parseJson, serialiseJson } from '../src/values/json.js';
import { listCases, type FieldCase, type FieldTable } from './field-table.js';

/** Tests every row of a resource's tables in both variants. */
export function testTable<T>(table: FieldTable<T>): void {
  const { resource, record, objects, items = {} } = table;

  describe(`${resource.name}, as in the tables of document 000`, () => {
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
      const schema = findObjects(toJsonSchema(resource));
      expect(rows).toEqual(schema.objects);
      expect(Object.keys(items).sort()).toEqual(schema.items);
    });

    it('reads the full record and writes it with every digit', () => {
      expect(resource.readStrict(parseJson(record))).toMatchObject({ ok: true });
      expect(resource.readTolerant(parseJson(record))).toMatchObject({ ok: true, unknownProperties: [] });
      expect(resource.serialise(resource.strict.parse(parseJson(record)))).toBe(
        serialiseJson(parseJson(record)),
      );
    });

    it('gives the expected verdict for every case of every row', () => {
      const wrong = listCases(table).flatMap((one) =>
        findDifferences(resource, one).map((difference) => `${one.path}: ${one.text}: ${difference}`),
      );
      expect(wrong).toEqual([]);
    });

    it('refuses or reports an unknown property of every object', () => {
      const paths = Object.keys(objects).map((object) => (object === '' ? 'unknown' : `${object}.unknown`));
      const results = paths.map((path) => {
        const json = change(record, path, '{ "a": 1 }');
        return { path, strict: resource.readStrict(json), tolerant: resource.readTolerant(json) };
      });
      expect(results).toEqual(
        paths.map((path) => ({
          path,
          strict: { ok: false, issues: [{ path, message: 'unknown property' }] },
          tolerant: expect.objectContaining({ ok: true, unknownProperties: [path] }) as unknown,
        })),
      );
    });

    it('refuses a value that is not an object', () => {
      const accepted = ['null', '[]', '"text"', '1'].filter(
        (text) => resource.readStrict(parseJson(text)).ok,
      );
      expect(accepted).toEqual([]);
    });
  });
}

/** The differences between the expected verdict and the results of both variants. */
function findDifferences<T>(resource: Resource<T>, { path, json, text, verdict }: FieldCase): string[] {
  const strict = resource.readStrict(json());
  const tolerant = resource.readTolerant(json());
  const differences: string[] = [];
  if (strict.ok !== (verdict === 'accepted')) differences.push(`${verdict}, but not by the strict variant`);
  if (tolerant.ok !== (verdict !== 'refused'))
    differences.push(`${verdict}, but not by the tolerant variant`);
  for (const result of [strict, tolerant])
    if (!result.ok)
      for (const issue of result.issues)
        if (!isWithin(issue.path, path)) differences.push(`refused at ${issue.path}`);
  // Only an exponent changes its notation.
  const hasExponent = /^-?\d.*[eE]/.test(text);
  if (strict.ok && !hasExponent && resource.serialise(strict.value) !== serialiseJson(json()))
    differences.push(`written as ${resource.serialise(strict.value)}`);
  return differences;
}

/** Whether an issue is at the path or below it. */
function isWithin(issue: string, path: string): boolean {
  return issue === path || issue.startsWith(`${path}.`) || issue.startsWith(`${path}[`);
}

interface SchemaObjects {
  readonly objects: Record<string, { fields: string[]; required: string[] }>;
  /** Paths of list items that are not objects. */
  readonly items: string[];
}

/** All objects of a schema with their field names, by path; `[0]` is an item of a list. */
function findObjects(schema: JsonSchema): SchemaObjects {
  const found: SchemaObjects = { objects: {}, items: [] };
  visit(schema, '', found);
  found.items.sort();
  return found;
}

function visit(schema: JsonSchema, path: string, found: SchemaObjects): void {
  const alternatives = (schema.anyOf ?? [schema]) as JsonSchema[];
  for (const { type, properties = {}, required = [], items } of alternatives) {
    if (type === 'object') {
      const fields = properties as Record<string, JsonSchema>;
      found.objects[path] = {
        fields: Object.keys(fields).sort(),
        required: [...(required as string[])].sort(),
      };
      for (const [name, field] of Object.entries(fields))
        visit(field, path === '' ? name : `${path}.${name}`, found);
    } else if (type === 'array') {
      visit(items as JsonSchema, `${path}[0]`, found);
    } else if (path.endsWith(']') && type !== 'null') found.items.push(path);
  }
}
