import { readFile } from 'node:fs/promises';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { definition } from '../settings.js';
import { openApiText, operations } from './document.js';

const text = openApiText(definition.TOKEN_ISSUER.default);

it('is committed as the code generates it: node apps/reporting/dist/src/openapi/write-openapi.js updates it', async () => {
  const committed = await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(committed)).toEqual(JSON.parse(text));
});

it('is a valid OpenAPI 3.1 document', async () => {
  // The owner decides about the license.
  const config = await createConfig({
    extends: ['recommended'],
    rules: { 'info-license': 'off', 'no-invalid-media-type-examples': 'error' },
  });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('has every operation of document 000 in its order, with each part of its path', () => {
  // Document 000, Endpoints, copied by hand.
  expect(operations.map(({ path }) => path)).toEqual([
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
  for (const { path, parameters } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  }
});
