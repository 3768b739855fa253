import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { SCHEMA_FILES } from '../test/schema-files.js';
import { KIT_SCHEMAS } from './checks.js';

// When this fails: npm run build && node libs/downstream/dist/test/write-schemas.js && npm run format
it('the committed schemas are those of the code, and strict', () => {
  for (const [file, schema] of SCHEMA_FILES) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
    new Ajv({ strict: true }).compile(schema);
  }
});

it('the package contains a validator of each schema', () => {
  expect(new Set(KIT_SCHEMAS)).toEqual(new Set(SCHEMA_FILES.values()));
});
