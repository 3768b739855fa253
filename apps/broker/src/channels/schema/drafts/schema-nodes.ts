/** An object in a parsed schema that may be a schema itself. */
export interface SchemaNode {
  readonly schema: Record<string, unknown>;
  /** JSON Pointer (RFC 6901). */
  readonly path: string;
  /** False below an unknown keyword or in another place that no keyword of the draft makes a schema. */
  readonly isSchema: boolean;
}

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Keywords whose members are schemas, named by the schema's author. */
export const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);
/** Keywords whose value is data. */
const DATA = new Set([
  '$vocabulary',
  'const',
  'default',
  'dependentRequired',
  'enum',
  'examples',
  'required',
  'type',
]);

/** An object or list that is not yet visited. The keys of a name map are names that the author chose, not keywords. */
interface Pending {
  readonly value: unknown;
  readonly path: string;
  readonly isSchema: boolean;
  readonly isNameMap: boolean;
}

/** Lists the objects of a parsed schema, except its data. A `$ref` with a JSON Pointer makes its target a schema. */
export function listSchemaNodes(schema: unknown, keywords: ReadonlySet<string>): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [];
  const targets = findPointerTargets(schema);
  const pending: Pending[] = [{ value: schema, path: '', isSchema: true, isNameMap: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path, isNameMap } = next;
    if (typeof value !== 'object' || value === null) continue;
    const isList = Array.isArray(value);
    const isSchema = next.isSchema || targets.has(path);
    if (!isNameMap && !isList) nodes.push({ schema: value as Record<string, unknown>, path, isSchema });
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      const isKeyword = !isNameMap && !isList;
      if (isKeyword && DATA.has(key)) continue;
      pending.push({
        value: member,
        path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        isSchema:
          isSchema && (!isKeyword || (keywords.has(key) && (SCHEMAS.has(key) || NAMED_SCHEMAS.has(key)))),
        isNameMap: isKeyword && NAMED_SCHEMAS.has(key),
      });
    }
  }
  return nodes;
}

/** The JSON Pointers of all references within the document, in the form of a path. */
function findPointerTargets(schema: unknown): ReadonlySet<string> {
  const references = JSON.stringify(schema).matchAll(/"\$ref":"[^"#]*#(\/[^"]*)"/g);
  return new Set([...references].map(([, pointer = '']) => decodeFragment(pointer)));
}

/** RFC 6901 §6. */
function decodeFragment(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
