import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../src/openapi/openapi.controller.js';
import { describeApi } from './support/describe-api.js';

it('openapi.json describes the controllers: node apps/api/dist/test/write-openapi.js writes it', async () => {
  const written: unknown = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'));
  expect(JSON.parse(JSON.stringify(await describeApi()))).toEqual(written);
});
