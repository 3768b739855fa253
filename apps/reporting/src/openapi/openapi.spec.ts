import type { Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import {
  DESIGNATIONS,
  MARKET_SERVICES,
  PrudentialCalculation,
  PrudentialCalculationSummary,
  SettlementCycleTimeline,
  SettlementInvoice,
  SettlementOutput,
  SettlementOutputDetails,
  SettlementStatementSummary,
  toJsonSchema,
} from '@ssb/market';
import { DAY_PATTERN } from '@ssb/market/schemas';
import { MEDIA_TYPES } from '../participants/media-type.js';
import { Operation } from '../participants/operation.decorator.js';
import { PROBLEM_REASONS } from '../participants/problem-reasons.js';
import { PrudentialController } from '../participants/prudential.controller.js';
import { SettlementController } from '../participants/settlement.controller.js';
import { definition } from '../settings.js';
import { readOpenApi } from './openapi.controller.js';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[]; readonly pattern?: string };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly { readonly accessToken: readonly string[] }[];
  readonly parameters: readonly Parameter[];
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, unknown>> } };
}

const document = (await readOpenApi()) as unknown as {
  readonly paths: Readonly<Record<string, { readonly get: DescribedOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly securitySchemes: unknown;
  };
};
const described = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }));

it('has the token service of the default settings', () => {
  expect(document.components.securitySchemes).toMatchObject({
    accessToken: {
      flows: { clientCredentials: { tokenUrl: `${definition.TOKEN_ISSUER.default}/oauth/v1/token` } },
    },
  });
});

it('has every operation of document 000 in its order, with each part of its path', () => {
  // Document 000, Endpoints, copied by hand.
  expect(described.map(({ path }) => path)).toEqual([
    '/api/v2/prudential',
    '/api/v2/prudential/summary/latest',
    '/api/v2/prudential/detail/{tradingDay}',
    '/api/v2/prudential/estimation/{tradingDay}',
    '/api/v2/settlements/{marketService}/summary/{periodFrom}/{designation}',
    '/api/v2/settlements/{marketService}/detail/{tradingDay}/{designation}',
    '/api/v2/settlements/{marketService}/estimation/{periodFrom}/{designation}/{tradingDay}',
    '/api/v2/settlements/{marketService}/invoiceFile/{periodFrom}/{designation}',
    '/api/v2/settlements/{marketService}/invoice/{periodFrom}/{designation}',
    '/api/v2/settlements/timeline',
  ]);
  for (const { path, parameters } of described) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});

it('describes the handlers of the controllers, each with the entity that its token needs', () => {
  expect(
    described.map(({ path, operationId, security, tags }) => ({ path, operationId, security, tags })),
  ).toEqual(
    [PrudentialController, SettlementController].flatMap(listHandlers).map(({ path, id, entity }) => ({
      path,
      operationId: id,
      security: [{ clientCertificate: [], accessToken: [entity] }],
      tags: [entity],
    })),
  );
});

it('has the parameters and media types of the code', () => {
  const schemasOf = (...names: readonly string[]) =>
    described.flatMap(({ path, parameters }) =>
      parameters.filter(({ name }) => names.includes(name)).map(({ schema }) => ({ path, ...schema })),
    );
  for (const { path, enum: services } of schemasOf('marketService'))
    expect([path, services]).toEqual([path, path.includes('estimation') ? ['NSTEM'] : MARKET_SERVICES]);
  for (const { enum: designations } of schemasOf('designation')) expect(designations).toEqual(DESIGNATIONS);
  const days = schemasOf(
    'dateFrom',
    'dateTo',
    'invoiceDateFrom',
    'invoiceDateTo',
    'tradingDay',
    'periodFrom',
  );
  expect(days.map(({ pattern }) => pattern)).toEqual(days.map(() => DAY_PATTERN));
  for (const { operationId, responses } of described)
    expect(Object.keys(responses[200].content)).toEqual(
      operationId === 'settlement-invoice-file' ? ['application/pdf'] : MEDIA_TYPES,
    );
});

it('has the schemas of the resources, and the reasons of the problems', () => {
  const { schemas } = document.components;
  const resources = [
    PrudentialCalculation,
    PrudentialCalculationSummary,
    SettlementOutput,
    SettlementStatementSummary,
    SettlementOutputDetails,
    SettlementInvoice,
    SettlementCycleTimeline,
  ];
  for (const resource of resources)
    expect(schemas[resource.name]).toEqual(JSON.parse(JSON.stringify(toJsonSchema(resource))));
  const problems = { ForbiddenProblem: 403, NotFoundProblem: 404, UnavailableProblem: 503 } as const;
  for (const [name, status] of Object.entries(problems))
    expect(schemas[name]).toMatchObject({
      properties: { status: { const: status }, reason: { enum: [...PROBLEM_REASONS[status]] } },
    });
  expect(Object.keys(schemas)).toEqual([...resources.map(({ name }) => name), ...Object.keys(problems)]);
});

/** The operations of a controller, in the order of its methods. */
function listHandlers(controller: Type): { path: string; id: string; entity: string }[] {
  const pathOf = (target: object): string => Reflect.getMetadata(PATH_METADATA, target) as string;
  return Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) => {
    const handler = value as () => unknown;
    const operation = new Reflector().get(Operation, handler);
    if (operation === undefined) return [];
    const segments = [pathOf(controller), pathOf(handler)].filter((path) => path !== '/');
    return [{ ...operation, path: `/${segments.join('/').replace(/:(\w+)/g, '{$1}')}` }];
  });
}
