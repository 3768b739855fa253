import { mkdirSync, writeFileSync } from 'node:fs';
import { evidenceVectors } from './evidence-vectors.js';
import { SCHEMA_FILES } from './schema-files.js';

// Writes the published schemas. `npm run format` lays them out.
for (const [file, schema] of SCHEMA_FILES) writeFileSync(file, JSON.stringify(schema, undefined, 2));

// Writes the vectors of evidence beside those of messages.
const folder = new URL('../../../events/vectors/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('evidence.json', folder), `${JSON.stringify(evidenceVectors(), undefined, 2)}\n`);
