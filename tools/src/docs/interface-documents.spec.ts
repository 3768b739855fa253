import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../system/processes.js';

const read = (path: string) => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

/** Health needs no 4XX. */
const WITHOUT_4XX = { 'operation-4xx-response': 'off' } as const;

it.each([
  ['apps/broker/openapi.yaml', WITHOUT_4XX],
  ['apps/gateway/rest.yaml', WITHOUT_4XX],
  ['apps/reporting/openapi.json', {}],
])('%s is valid OpenAPI 3.1', async (path, rules) => {
  const config = await createConfig({
    extends: ['recommended'],
    // The owner decides the license.
    rules: { 'info-license': 'off', 'no-invalid-media-type-examples': 'error', ...rules },
  });
  const problems = await lintFromString({ source: read(path), absoluteRef: path, config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

it('apps/gateway/ws.yaml is valid AsyncAPI 3.1, and has the target of each reference', () => {
  const text = read('apps/gateway/ws.yaml');
  const document: unknown = parse(text);
  const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.1.0-without-$id.json') as object;
  const ajv = new Ajv({ strict: false, validateFormats: false });
  expect([ajv.validate(schema, document), ajv.errorsText()]).toEqual([true, 'No errors']);
  const references = [...text.matchAll(/\$ref: '#\/([^']+)'/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(10);
  const target = (path: string): unknown =>
    path.split('/').reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document);
  expect(references.filter((path) => target(path) === undefined)).toEqual([]);
});

it.each(['apps/broker/openapi.yaml', 'apps/gateway/rest.yaml', 'apps/gateway/ws.yaml'])(
  '%s means the same to parsers of YAML 1.1, and to clients that guess its character set',
  (path) => {
    const text = read(path);
    expect(parse(text, { version: '1.1' })).toEqual(parse(text));
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  },
);
