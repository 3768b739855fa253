import { errorResponses, errorWith } from './errors.js';
import type { Operation, Parameter, Success } from './operation.js';
import { operations } from './operations.js';
import { resourceSchemas } from './resources.js';

/** Document 002, "Versioning". */
export const INTERFACE_VERSION = '0.5.4';

/** OpenAPI 3.1 of document 002, made of the table of operations and the definitions of the resources. */
export function restDocument(): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: { title: 'Message-Bus Client Gateway', version: INTERFACE_VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ basic: [] }],
    paths: pathsOf(operations),
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'User name and password, UTF-8 (RFC 7617).' },
      },
      schemas: resourceSchemas(),
    },
  };
}

const DESCRIPTION = [
  'A client of a message bus: it keeps a signing identity, publishes and reads messages, and verifies signatures.',
  'Every failure is an Error. Its `code` has a prefix and a kind; match the kind, for the prefix differs between implementations.',
  'Messages are also pushed over a WebSocket: see ws.yaml beside this file.',
].join('\n\n');

const TAGS: Readonly<Record<Operation['tag'], string>> = {
  config: 'Identity and enrolment',
  message: 'Sending and reading messages',
  channels: 'Channels of the identity',
  docs: 'Descriptions of this interface',
  health: 'Health',
  signature: 'Signatures',
};

function pathsOf(all: readonly Operation[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of all) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  return paths;
}

function operationObject(operation: Operation): object {
  const { id, summary, description, tag, open, parameters, body, success, headers } = operation;
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(open && { security: [] }),
    ...(parameters && { parameters: parameters.map(parameterObject) }),
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: refOf(body) } } },
    }),
    responses: {
      200: { ...successObject(success), ...(headers && { headers: headerObjects(headers) }) },
      ...errorResponses(operation),
    },
  };
}

function parameterObject({ name, required, description, schema, example }: Parameter): object {
  return { name, in: 'query', required, description, schema, example };
}

function headerObjects(headers: Readonly<Record<string, string>>): object {
  const entries = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries(entries) as object;
}

function successObject(success: Success): object {
  switch (success.kind) {
    case 'resource':
      return json(success.resource, refOf(success.resource));
    case 'list':
      return json(`A list of ${success.resource}`, { type: 'array', items: refOf(success.resource) });
    case 'resource-or-error':
      return json(`${success.resource}, or an Error with ${success.code}`, {
        oneOf: [refOf(success.resource), errorWith([success.code])],
      });
    case 'yaml':
      return { description: 'A YAML file', content: { 'application/yaml': { schema: { type: 'string' } } } };
    case 'nothing':
      return { description: 'Well; no body' };
    default:
      return success satisfies never;
  }
}

function json(description: string, schema: object): object {
  return { description, content: { 'application/json': { schema } } };
}

function refOf(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}
