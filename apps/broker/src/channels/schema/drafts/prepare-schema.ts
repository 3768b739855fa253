import { DRAFTS, findDraft, UNSUPPORTED, type Draft } from './draft.js';
import { listSchemaNodes, NAMED_SCHEMAS, type SchemaNode } from './schema-nodes.js';

/** A part of a schema that is not evaluated. */
export interface SchemaWarning {
  /** JSON Pointer into the schema. */
  readonly path: string;
  readonly message: string;
}

/** The text of a topic's schema is not a JSON Schema that the broker can evaluate. */
export class BadSchemaError extends Error {
  override readonly name = 'BadSchemaError';

  constructor(
    message: string,
    /** What is accepted instead, where that is a list. */
    readonly known: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const MAX_WARNINGS_PER_SCHEMA = 20;
const MAX_TEXT_LENGTH = 200;

/** Keywords that describe and check nothing, so that it does not matter whether `$ref` hides them. */
const ANNOTATIONS = new Set([
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples', 'readOnly', 'writeOnly'],
  ...['id', '$id', 'definitions', '$defs'],
]);

/** The draft that the schema declares. @throws BadSchemaError */
export function readDraft(schema: boolean | object): Draft {
  const $schema = typeof schema === 'object' && '$schema' in schema ? schema.$schema : undefined;
  const draft = findDraft($schema);
  if (draft) return draft;
  const uris = DRAFTS.map(({ uri }) => uri);
  const given = typeof $schema === 'string' ? shorten($schema) : 'no text';
  throw new BadSchemaError(`its $schema is ${given}, which is unknown; use ${uris.join(', ')}`, uris);
}

/**
 * Refuses what Ajv would evaluate wrongly, and removes from the parsed schema what Ajv would apply against the draft.
 * @param isFormat whether payloads are checked against the format
 * @returns the parts that are not evaluated
 * @throws BadSchemaError
 */
export function prepareSchema(
  schema: boolean | object,
  draft: Draft,
  isFormat: (name: string) => boolean,
): readonly SchemaWarning[] {
  const nodes = listSchemaNodes(schema, draft.keywords);
  const schemas = nodes.filter(({ isSchema }) => isSchema);
  refuseUnsupported(schemas, draft);
  const warnings = schemas.flatMap((node) => findIgnored(node, draft, isFormat));
  for (const { schema: node, path } of nodes) {
    // An OpenAPI keyword that Ajv applies.
    Reflect.deleteProperty(node, 'nullable');
    if (!draft.refHidesSiblings || !('$ref' in node)) continue;
    // Ajv applies it beside a reference. Other keywords stay, as a JSON Pointer may lead through them.
    Reflect.deleteProperty(node, 'type');
    // Ajv would resolve the reference by it.
    if (path !== '') Reflect.deleteProperty(node, draft.idKeyword);
  }
  const more = warnings.length - MAX_WARNINGS_PER_SCHEMA;
  if (more <= 0) return warnings;
  return [
    ...warnings.slice(0, MAX_WARNINGS_PER_SCHEMA),
    { path: '', message: `${more} more parts are not evaluated` },
  ];
}

function refuseUnsupported(schemas: readonly SchemaNode[], draft: Draft): void {
  const known = [...draft.keywords].filter((keyword) => !UNSUPPORTED.has(keyword)).sort();
  const refuse = (keyword: string, path: string, reason: string): never => {
    throw new BadSchemaError(`${keyword} at "${shorten(path)}" ${reason}`, known);
  };
  for (const { schema, path } of schemas) {
    if ('$schema' in schema && findDraft(schema['$schema']) !== draft) {
      refuse('$schema', path, `is not that of the whole schema, which is ${draft.name}`);
    }
    for (const [keyword, members] of Object.entries(schema)) {
      const isNameMap = NAMED_SCHEMAS.has(keyword) && typeof members === 'object' && members !== null;
      if (isNameMap && Object.hasOwn(members, '__proto__')) {
        refuse(keyword, path, 'has a member __proto__, which cannot be evaluated; only required can name it');
      }
    }
    const keyword = Object.keys(schema).find((name) => UNSUPPORTED.has(name) && draft.keywords.has(name));
    if (keyword !== undefined) refuse(keyword, path, 'is a keyword that this broker does not evaluate');
  }
}

function findIgnored(
  { schema, path }: SchemaNode,
  draft: Draft,
  isFormat: (name: string) => boolean,
): readonly SchemaWarning[] {
  const warn = (keyword: string, message: string): SchemaWarning => ({
    path: shorten(path),
    message: `${shorten(keyword)} ${message}`,
  });
  const hidden = draft.refHidesSiblings && typeof schema['$ref'] === 'string';
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (!draft.keywords.has(keyword)) return [warn(keyword, describeUnknown(keyword, draft))];
    if (hidden && keyword !== '$ref' && !ANNOTATIONS.has(keyword)) {
      return [warn(keyword, `is not evaluated, as ${draft.name} ignores keywords beside $ref; use allOf`)];
    }
    if (keyword === 'format' && typeof value === 'string' && !isFormat(value)) {
      return [warn(value, 'is an unknown format and is not evaluated')];
    }
    return [];
  });
}

function describeUnknown(keyword: string, draft: Draft): string {
  const others = DRAFTS.filter(({ keywords }) => keywords.has(keyword)).map(({ name }) => name);
  const hint = others.length > 0 ? `; it is a keyword of ${others.join(', ')}` : '';
  return `is not a keyword of ${draft.name} and is not evaluated${hint}`;
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text;
}
