import { DAY_PATTERN } from '@ssb/market/schemas';
import { ENTITIES } from '../access/access-decision.js';
import { listOperations, type RoutedOperation } from '../participants/operation.decorator.js';
import type { ParameterDescription } from '../participants/parameters/parameter-descriptions.js';
import { PrudentialController } from '../participants/prudential.controller.js';
import { SettlementController } from '../participants/settlement.controller.js';
import { okResponse, problemResponses, problemSchemas, resourceSchemas } from './responses.js';

/** The ten operations of document 000, in its order. */
export const operations = listOperations([PrudentialController, SettlementController]);

/**
 * Makes the OpenAPI 3.1 document of the participants' port from its controllers and the definitions of the resources.
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
      operations.map((operation) => [operation.path, { get: operationObject(operation) }]),
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
  'A 403 refuses the client certificate or the access token. A 404 means that there is no result. Both give the cause in `reason`.',
].join('\n\n');

function operationObject(operation: RoutedOperation): object {
  const { id, summary, description, entity, parameters, response } = operation;
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [entity],
    security: [{ clientCertificate: [], accessToken: [entity] }],
    parameters: parameters.map(parameterObject),
    responses: {
      200: okResponse(response),
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
      description:
        'A client certificate of an accepted authority. The common name of its subject is the participant code.',
    },
    accessToken: {
      type: 'oauth2',
      description:
        'An access token of the token service that gives R on the operation’s entity for the participant: scope <ENTITY>|<PARTICIPANT_ID>|R. A token bound to a client certificate (RFC 8705) is accepted with that certificate only.',
      flows: {
        clientCredentials: {
          tokenUrl: `${tokenService}/oauth/v1/token`,
          scopes: Object.fromEntries(
            ENTITIES.map((entity) => [
              entity,
              `Permissions on ${entity} for each participant of the account`,
            ]),
          ),
        },
      },
    },
  };
}

function parameterObject({ format, example, ...parameter }: ParameterDescription): object {
  return { ...parameter, schema: parameterSchema(format), example };
}

function parameterSchema(format: ParameterDescription['format']): object {
  if (format === 'day') {
    return {
      type: 'string',
      pattern: DAY_PATTERN,
      description: 'yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss, market time',
    };
  }
  if (format === 'participant') return { type: 'string', maxLength: 60 };
  return { type: 'string', enum: format };
}

/** The OpenAPI document as committed: indented, with a final line feed. */
export function openApiText(tokenService: string): string {
  return `${JSON.stringify(openApiDocument(tokenService), null, 2)}\n`;
}
