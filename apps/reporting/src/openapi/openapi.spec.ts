import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { definition } from '../settings.js';
import { operations } from '../participants/operations.js';
import { openApiText } from './document.js';

const text = openApiText(definition.TOKEN_ISSUER.default);

it('is committed as the code makes it: node apps/reporting/dist/src/openapi/write-openapi.js mends a difference', async () => {
  const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(committed)).toEqual(JSON.parse(text));
});

it('is an OpenAPI 3.1 document without a fault', async () => {
  // `servers` and `license` are the deployment's and the owner's to say.
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'info-license': 'off', 'no-invalid-media-type-examples': 'error' },
  });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

describe('every operation of document 000', () => {
  /** Document 000, Endpoints, copied by hand. */
  const PATHS = [
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
  ];

  it('is in the table, in its order', () => {
    expect(operations.map(({ number, path }) => [number, path])).toEqual(
      PATHS.map((path, index) => [index + 1, path]),
    );
  });

  it.each(operations.map((operation) => [operation.path, operation] as const))(
    'declares each part of its path: %s',
    (path, { parameters }) => {
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    },
  );
});
