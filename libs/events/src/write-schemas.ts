import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { SCHEMA_FOLDER, schemaFiles } from './schema-files.js';

// Writes the published schema files and deletes those that the catalogue no longer has.
const files = schemaFiles();
mkdirSync(SCHEMA_FOLDER, { recursive: true });
for (const name of readdirSync(SCHEMA_FOLDER)) {
  if (!files.has(name)) rmSync(new URL(name, SCHEMA_FOLDER));
}
for (const [name, text] of files) writeFileSync(new URL(name, SCHEMA_FOLDER), text);
