import { date, dateTime, decimal, instant, MAX_INT32, sha256, type JsonSchema } from './types/json-schema.js';

/** One member of a schema, however deep. */
export interface Field {
  /** Such as `data.variables[].value`. */
  readonly path: string;
  readonly schema: JsonSchema;
  readonly isOptional: boolean;
}

/** Lists the members of an object schema, each before its own members. Items that are no objects are listed too. */
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

/** The operator's field that a member comes from; undefined for what the bridge adds. */
export function sourceOf({ $comment }: JsonSchema): string | undefined {
  return typeof $comment === 'string' ? $comment.replace(/^Source: /, '') : undefined;
}

const NAMED_PATTERNS: ReadonlyMap<unknown, string> = new Map([
  [decimal['pattern'], 'decimal'],
  [dateTime['pattern'], 'market time'],
  [date['pattern'], 'market date'],
  [instant['pattern'], 'UTC time'],
  [sha256['pattern'], 'SHA-256'],
]);

/** The values that a schema accepts, in words. */
export function describeType(schema: JsonSchema): string {
  const { type, enum: values, const: value, pattern, maxLength, maxItems } = schema;
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(values)) return values.join(', ');
  switch (type) {
    case 'string':
      return (
        NAMED_PATTERNS.get(pattern) ??
        `text${maxLength === undefined ? '' : `, at most ${Number(maxLength)}`}`
      );
    case 'integer':
      return `integer, ${describeRange(schema)}`;
    case 'array':
      return `list${maxItems === undefined ? '' : `, at most ${Number(maxItems)}`}`;
    case 'boolean':
      return 'true or false';
    default:
      return String(type);
  }
}

function describeRange({ minimum, maximum }: JsonSchema): string {
  return maximum === MAX_INT32 ? `from ${Number(minimum)}` : `${Number(minimum)} to ${Number(maximum)}`;
}
