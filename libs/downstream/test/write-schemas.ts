import { writeFileSync } from 'node:fs';
import { SCHEMA_FILES } from './schema-files.js';

// Writes the published schemas. `npm run format` lays them out.
for (const [file, schema] of SCHEMA_FILES) writeFileSync(file, JSON.stringify(schema, undefined, 2));
