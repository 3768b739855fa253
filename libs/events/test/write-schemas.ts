import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  DELIVERY_SCHEMA_FOLDER,
  deliverySchemaFiles,
  identities,
  IDENTITIES_FILE,
  SCHEMA_FOLDER,
  schemaFiles,
} from './schema-files.js';
import { EXAMPLE_FOLDER, exampleFiles } from './example-files.js';
import { EVIDENCE_FILE, VECTOR_FOLDER, vectorFiles } from './vectors/vector-files.js';

// Writes the published schemas, identities, examples and vectors, and deletes those that the catalogue no longer has. `npm run format` lays them out.
writeFolder(SCHEMA_FOLDER, schemaFiles());
writeFolder(DELIVERY_SCHEMA_FOLDER, deliverySchemaFiles());
writeFolder(EXAMPLE_FOLDER, exampleFiles());
writeFile(IDENTITIES_FILE, identities());
writeFolder(VECTOR_FOLDER, vectorFiles());

function writeFolder(folder: URL, files: ReadonlyMap<string, object>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.json') && name !== EVIDENCE_FILE && !files.has(name)) rmSync(new URL(name, folder));
  }
  for (const [name, content] of files) writeFile(new URL(name, folder), content);
}

function writeFile(file: URL, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
}
