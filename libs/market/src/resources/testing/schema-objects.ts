import type { JsonSchema } from '../../json-schema.js';

interface Found {
  readonly objects: Record<string, { fields: string[]; required: string[] }>;
  /** Paths of items that are no objects. */
  readonly items: string[];
}

/** Every object of a schema by its path, `[0]` for an item of a list, with the names of its fields. */
export function objectsIn(schema: JsonSchema): Found {
  const found: Found = { objects: {}, items: [] };
  visit(schema, '', found);
  found.items.sort();
  return found;
}

function visit(schema: JsonSchema, path: string, found: Found): void {
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
