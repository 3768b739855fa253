import type { Operation } from '../participants/operation.js';
import { operations } from '../participants/operations.js';
import { ENTITIES } from '../domain/access.js';
import { parameterOf } from './parameters.js';
import { problemResponses, problemSchemas } from './problems.js';
import { resourceSchemas, successOf } from './successes.js';

/**
 * The OpenAPI 3.1 document of the participants' port, made of the table of operations and the definitions of the resources:
 * nothing in it is written a second time.
 * @param tokenService base address of the token service (document 001)
 */
export function openApiDocument(tokenService: string): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Prudential and Settlement Reporting API',
      version: 'v1',
      description: DESCRIPTION,
    },
    servers: [{ url: '/' }],
    tags: ENTITIES.map((entity) => ({ name: entity, description: `Rights entity ${entity}` })),
    security: [{ clientCertificate: [], accessToken: [] }],
    paths: Object.fromEntries(
      operations.map((operation) => [operation.path, { get: operationOf(operation) }]),
    ),
    components: {
      securitySchemes: securitySchemes(tokenService),
      responses: problemResponses,
      schemas: { ...resourceSchemas(operations), ...problemSchemas },
    },
  };
}

const DESCRIPTION = [
  'A read-only interface for a market participant. The participant is taken from the client certificate.',
  'Date-times carry no zone: they are market time, UTC+8 all year. Decimals are JSON numbers with all their digits; reading them into a double can lose some.',
  'A 403 says who you are or what you hold does not suffice, a 404 that the question has no answer; both say why in `reason`.',
].join('\n\n');

function operationOf({ id, summary, description, entity, parameters, success }: Operation): object {
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [entity],
    security: [{ clientCertificate: [], accessToken: [entity] }],
    parameters: parameters.map(parameterOf),
    responses: {
      200: successOf(success),
      403: { $ref: '#/components/responses/Forbidden' },
      404: { $ref: '#/components/responses/NotFound' },
      503: { $ref: '#/components/responses/Unavailable' },
    },
  };
}

function securitySchemes(tokenService: string): object {
  return {
    clientCertificate: {
      type: 'mutualTLS',
      description: 'A client certificate of an accepted authority; it says who the participant is.',
    },
    accessToken: {
      type: 'oauth2',
      description:
        'An access token of the token service that gives R on the operation’s entity for the participant: scope <ENTITY>|<PARTICIPANT_ID>|R. A token bound to a client certificate (RFC 8705) is taken with that certificate alone.',
      flows: {
        clientCredentials: {
          tokenUrl: `${tokenService}/oauth/v1/token`,
          scopes: Object.fromEntries(
            ENTITIES.map((entity) => [
              entity,
              `What the account holds on ${entity}, for each of its participants`,
            ]),
          ),
        },
      },
    },
  };
}
