import { jsonSchemaOf } from '@ssb/market';
import { MEDIA_TYPES } from '../domain/media-type.js';
import type { Operation, Success } from '../participants/operation.js';

/** The Response Object of a 200: one body in three media types (document 000, Conventions 1 and 2), or a PDF. */
export function successOf(success: Success): object {
  switch (success.kind) {
    case 'document': {
      const schema = envelopeOf(success);
      return {
        description: `${success.resource.name}; the body is the same in all media types.`,
        headers: { Vary: { schema: { const: 'accept' } }, ...NEVER_STORED },
        content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }])),
      };
    }
    case 'pdf':
      return {
        description: 'The invoice as a PDF; document 000 declares no body, Rules 3.',
        headers: { 'Content-Disposition': { schema: { type: 'string' } }, ...NEVER_STORED },
        content: { 'application/pdf': {} },
      };
    default:
      return success satisfies never;
  }
}

/** The schemas of all resources that the operations answer, by name. */
export function resourceSchemas(operations: readonly Operation[]): Record<string, object> {
  return Object.fromEntries(
    operations.flatMap(({ success }) =>
      success.kind === 'document' ? [[success.resource.name, jsonSchemaOf(success.resource)]] : [],
    ),
  );
}

const NEVER_STORED = { 'Cache-Control': { schema: { const: 'no-store' } } };

/** An object with exactly one property, `data`; the array of operation 1 is nullable. */
function envelopeOf({ resource, list }: Success & { kind: 'document' }): object {
  const record = { $ref: `#/components/schemas/${resource.name}` };
  return {
    type: 'object',
    additionalProperties: false,
    required: ['data'],
    properties: { data: list ? { type: ['array', 'null'], items: record } : record },
  };
}
