import type { JsonSchema } from '../src/types/json-schema.js';

/** One member of a schema, however deep. */
export interface Field {
  /** Such as `data.variables[].value`. */
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
}

/** Lists the members of an object schema, each before its own members. Items that are not objects are listed too. */
export function listFields(schema: JsonSchema, path = ''): Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  const members = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  return members.flatMap(([name, member]) => {
    const field = {
      path: path === '' ? name : `${path}.${name}`,
      schema: member,
      isOptional: !required.includes(name),
    };
    return [field, ...listFields(member, field.path), ...listItems(member, `${field.path}[]`)];
  });
}

function listItems(schema: JsonSchema, path: string): Field[] {
  const items = schema['items'] as JsonSchema | undefined;
  if (items === undefined) return [];
  if (items['type'] === 'object') return listFields(items, path);
  return [{ path, schema: items, isOptional: false }];
}
