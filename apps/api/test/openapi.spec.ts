import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../src/openapi/openapi.controller.js';
import { describeApi } from './support/describe-api.js';

it('openapi.json describes the controllers: node apps/api/dist/test/write-openapi.js writes it', async () => {
  const written: unknown = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'));
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
