import { readFile } from 'node:fs/promises';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { parse } from 'yaml';

export type Schema = Readonly<Record<string, unknown>>;

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example: unknown;
}

interface Response extends Content {
  readonly headers?: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly security?: readonly [];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Response>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export const text = await readFile(new URL('../../../openapi.yaml', import.meta.url), 'utf8');
const document = parse(text) as OpenApi;
export const { schemas } = document.components;

/** The operations with their method and path. */
export const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      parameters: [...listParameters(item['parameters']), ...listParameters(operation.parameters)],
      requestBody: operation.requestBody && resolve(operation.requestBody),
    })),
);

export function findOperation(id: string) {
  const operation = operations.find(({ operationId }) => operationId === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  return operation;
}

/** The schema of the JSON body; undefined without a body. */
export function bodyOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema;
}

function listParameters(parameters: unknown): Parameter[] {
  return ((parameters ?? []) as Parameter[]).map(resolve);
}

/** Follows a reference to a component. */
export function resolve<T extends object>(part: T): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const names = part.$ref.replace('#/', '').split('/');
  return names.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document) as T;
}

const ajv = new Ajv2020({ strict: false });
formats.default.default(ajv);
ajv.addSchema({ $id: 'openapi', components: document.components });

/** Compiled schemas by their text. */
const validators = new Map<string, ValidateFunction>();

/** @returns what is wrong with a value; empty when it matches the schema */
export function findFaults(schema: Schema, value: unknown): string {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as Schema);
  validators.set(text, validate);
  return validate(value) ? '' : ajv.errorsText(validate.errors);
}

/** Every status with each of its error codes; a success has no code. */
export function listOutcomes({ operationId, responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const codes = findCodes(bodyOf(resolve(response)));
    return (codes.length > 0 ? codes : ['']).map((code) => `${operationId} ${status} ${code}`.trim());
  });
}

function findCodes(schema: Schema | undefined): string[] {
  const found = JSON.stringify(
    schema && [resolve(schema), ...((schema['allOf'] ?? []) as Schema[]).map(resolve)],
  );
  return [...(found ?? '').matchAll(/"(BUS::[A-Z_]+)"/g)].map(([, code = '']) => code);
}

export interface Sent {
  readonly path?: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request. Without a body, but with a `content-length`, only its head is sent. */
export async function send(url: string, id: string, { path, token, body, headers }: Sent) {
  const operation = findOperation(id);
  const sent = request(url + (path ?? operation.path), {
    method: operation.method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(operation.requestBody && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  if (headers?.['content-length'] === undefined) {
    sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  } else sent.flushHeaders();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const received = await readText(response);
  sent.destroy();
  return checkResponse(operation, String(response.statusCode), response.headers, received);
}

/** Headers that must be described when they are sent. */
const OWN_HEADERS = ['accept-encoding', 'bus-gap', 'bus-more', 'link', 'retry-after', 'www-authenticate'];

/** @returns `id status code`. @throws Error when the document does not describe the response */
function checkResponse(
  operation: Operation,
  status: string,
  headers: IncomingHttpHeaders,
  body: string,
): string {
  const fail = (why: string): never => {
    throw new Error(`${operation.operationId} responded with ${status} ${body}: ${why}`);
  };
  const response = operation.responses[status] ?? fail('the status is not described');
  const described = resolve(response);
  const schema = bodyOf(described);
  if (schema === undefined && body !== '') fail('no body is described');
  const value = body === '' ? undefined : (JSON.parse(body) as { readonly err?: { readonly code: string } });
  // Undescribed fields are faults here, although clients ignore them.
  const closed = schema?.['items']
    ? { ...schema, items: { ...schema['items'], unevaluatedProperties: false } }
    : { ...schema, unevaluatedProperties: false };
  if (schema !== undefined) {
    const faults = findFaults(closed, value);
    if (faults !== '') fail(faults);
    if (headers['content-type']?.startsWith('application/json') !== true) fail('another content type');
  }
  const headersInLowerCase = Object.entries(described.headers ?? {}).map(
    ([name, header]) => [name.toLowerCase(), resolve(header).schema] as const,
  );
  for (const name of OWN_HEADERS.filter((each) => headers[each] !== undefined)) {
    const header = headersInLowerCase.find(([each]) => each === name);
    const given = headers[name];
    const isNumber = header?.[1]['type'] === 'integer';
    const faults = header ? findFaults(header[1], isNumber ? Number(given) : given) : 'is not described';
    if (faults !== '') fail(`header ${name}: ${faults}`);
  }
  return `${operation.operationId} ${status} ${value?.err?.code ?? ''}`.trim();
}
