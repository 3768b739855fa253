import { toJsonSchema } from '@ssb/market';
import { MEDIA_TYPES } from '../participants/media-type.js';
import type { OperationDescription, OperationResponse } from '../participants/operation.decorator.js';
import { PROBLEM_REASONS, type ProblemStatus } from '../participants/problem-reasons.js';

/** The Response Object of a 200: one body in three media types (document 000, Conventions 1 and 2), or a PDF. */
export function okResponse(response: OperationResponse): object {
  switch (response.kind) {
    case 'document': {
      const schema = envelopeSchema(response);
      return {
        description: `${response.resource.name}; the body is the same in all media types.`,
        headers: { Vary: { schema: { const: 'accept' } }, ...NO_STORE },
        content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }])),
      };
    }
    case 'pdf':
      return {
        description: 'The invoice as a PDF; document 000 declares no body, Rules 3.',
        headers: { 'Content-Disposition': { schema: { type: 'string' } }, ...NO_STORE },
        content: { 'application/pdf': {} },
      };
    default:
      return response satisfies never;
  }
}

/** The schemas of all resources of the operations, by name. */
export function resourceSchemas(operations: readonly OperationDescription[]): Record<string, object> {
  return Object.fromEntries(
    operations.flatMap(({ response }) =>
      response.kind === 'document' ? [[response.resource.name, toJsonSchema(response.resource)]] : [],
    ),
  );
}

const NO_STORE = { 'Cache-Control': { schema: { const: 'no-store' } } };

/** The only property is `data`; the array of operation 1 is nullable. */
function envelopeSchema({ resource, list }: OperationResponse & { kind: 'document' }): object {
  const record = { $ref: `#/components/schemas/${resource.name}` };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['data'],
    properties: { data: list ? { type: ['array', 'null'], items: record } : record },
  };
}

/** The name and description of each problem status. */
const PROBLEMS: Readonly<Record<ProblemStatus, { name: string; description: string }>> = {
  403: { name: 'Forbidden', description: 'The client certificate or the access token gives no access.' },
  404: {
    name: 'NotFound',
    description: 'Nothing was published, or a parameter is invalid.',
  },
  503: {
    name: 'Unavailable',
    description:
      'Access tokens cannot be verified, or the records cannot be reached, at the moment: retry later.',
  },
};

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const statuses = Object.keys(PROBLEM_REASONS).map(Number) as ProblemStatus[];

/** The Response Object of each problem status, by name. */
export const problemResponses: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.map((status) => {
    const { name, description } = PROBLEMS[status];
    const schema = { $ref: `#/components/schemas/${name}Problem` };
    const content = { 'application/problem+json': { schema } };
    return [name, { description, ...(status === 503 && { headers: RETRY_AFTER }), content }];
  }),
);

/** Problem details of RFC 9457 with the closed list of reasons of each status. */
export const problemSchemas: Readonly<Record<string, object>> = Object.fromEntries(
  statuses.map((status) => [`${PROBLEMS[status].name}Problem`, problemSchema(status)]),
);

function problemSchema(status: ProblemStatus): object {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['type', 'title', 'status', 'detail', 'reason'],
    properties: {
      type: { const: 'about:blank' },
      title: { type: 'string' },
      status: { const: status },
      detail: { type: 'string', description: 'What was wrong and what is allowed.' },
      reason: { type: 'string', enum: PROBLEM_REASONS[status] },
      ...(status === 404 && {
        parameter: { type: 'string', description: 'The invalid parameter, where there is one.' },
      }),
    },
  };
}
