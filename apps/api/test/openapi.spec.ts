import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../src/openapi/api-document.js';
import { describeApi } from './support/describe-api.js';
import { RunningApi } from './support/running-api.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
}
const written = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as Document;

it('openapi.json describes the controllers: node apps/api/dist/test/write-openapi.js writes it', async () => {
  expect(JSON.parse(JSON.stringify(await describeApi()))).toEqual(written);
});

it('each operation has a description, and a tag that has one', async () => {
  const { paths, tags = [] } = await describeApi();
  const names = tags.map(({ name }) => name);
  for (const [path, { get, post }] of Object.entries(paths))
    for (const operation of [get, post])
      if (operation && !(operation.description && operation.tags?.every((tag) => names.includes(tag))))
        throw new Error(`${path} has no description, or a tag that create-document.ts does not have.`);
});

describe('every operation', () => {
  const operations = Object.entries(written.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => [method.toUpperCase(), path.replaceAll(/\{[^}]+\}/g, 'aaaaaa')] as const,
    ),
  );
  let api: RunningApi;

  beforeAll(async () => {
    api = await RunningApi.start();
  });
  afterAll(() => api.close());

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    api.send(method, path, { token: api.operator, headers }, method === 'POST' ? {} : undefined);

  it.each(operations)('refuses unknown parameters: %s %s', async (method, path) => {
    const { status, json } = await send(method, `${path}?first=1&__proto__=2`);
    expect([status, json()['detail']]).toEqual([
      422,
      expect.stringMatching(
        /^first is unknown: .*; __proto__ is unknown: (nothing is allowed here|allowed are )/,
      ),
    ]);
  });

  it.each(operations.filter(([, path]) => !path.startsWith('/schemas')))(
    'is 406 in a form that it does not have: %s %s',
    async (method, path) => {
      for (const accept of ['application/xml', 'application/json;q=0'])
        expect((await send(method, path, { accept })).status).toBe(406);
    },
  );

  it.each(['*/*', 'application/*', 'application/json; charset=utf-8', 'text/html, */*;q=0.1'])(
    'is JSON for Accept: %s',
    async (accept) => {
      expect((await send('GET', '/v1/requests', { accept })).type).toMatch(/^application\/json/);
      expect((await send('GET', '/v1/requests/aaaaaa', { accept })).type).toMatch(
        /^application\/problem\+json/,
      );
    },
  );
});
