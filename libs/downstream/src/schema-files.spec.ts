import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { SCHEMA_FILES } from '../test/schema-files.js';

// When this fails: npm run build && node libs/downstream/dist/test/write-schemas.js && npm run format
it('the committed schemas are those of the code, and strict', () => {
  for (const [file, schema] of SCHEMA_FILES) {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
    new Ajv({ strict: true }).compile(schema);
  }
});
