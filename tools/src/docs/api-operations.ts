/** What this reads of a schema in the OpenAPI document. */
interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The OpenAPI document of the archive API. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The types that a client of the archive API needs, as TypeScript: what it may send, and what it gets. */
export function renderApiOperations({ paths, components }: ApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => `  '${method.toUpperCase()} ${path}': ${renderOperation(operation)};`,
    ),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export interface ${name} ${renderMembers(schema)}`,
  );
  return [
    '// Written by npm run docs from apps/api/openapi.json.',
    '/** The operations of the archive API, by method and path. */',
    `export interface Operations {\n${operations.join('\n')}\n}`,
    '/** The values of query parameters that have fixed ones, by path. */',
    `export const CHOICES = {\n${renderChoices(paths)}\n} as const;`,
    ...schemas,
    '',
  ].join('\n\n');
}

function renderOperation({ parameters = [], requestBody, responses }: Operation): string {
  const query = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, required, schema }) => renderMember(name, schema, required === true));
  const body = requestBody?.content?.['application/json']?.schema;
  const response = responses['200']?.content?.['application/json']?.schema;
  const members = query.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${query.join('; ')} }`;
  return `{ readonly query: ${members}; readonly body: ${body ? renderType(body) : 'undefined'}; readonly response: ${response ? renderType(response) : 'string'} }`;
}

function renderChoices(paths: ApiDocument['paths']): string {
  return Object.entries(paths)
    .flatMap(([path, { get }]) => {
      const choices = (get?.parameters ?? []).flatMap(({ name, schema }) => {
        const values = schema.enum ?? schema.items?.enum;
        return values === undefined ? [] : [`${name}: ${JSON.stringify(values)}`];
      });
      return choices.length === 0 ? [] : [`'${path}': { ${choices.join(', ')} },`];
    })
    .join('\n');
}

function renderType(schema: Schema): string {
  const [first] = schema.allOf ?? [];
  if (first !== undefined) return renderType(first);
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown';
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (schema.type) {
    case 'array':
      return `readonly (${renderType(schema.items ?? {})})[]`;
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
      return schema.type;
    case 'object':
      return schema.properties === undefined ? 'Readonly<Record<string, unknown>>' : renderMembers(schema);
    default:
      return 'unknown';
  }
}

function renderMembers({ properties = {}, required = [] }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    renderMember(name, schema, required.includes(name)),
  );
  return `{ ${members.join('; ')} }`;
}

const renderMember = (name: string, schema: Schema, isRequired: boolean): string =>
  `readonly ${name}${isRequired ? '' : '?'}: ${renderType(schema)}`;
