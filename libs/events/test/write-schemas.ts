import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { DELIVERY_SCHEMA_FOLDER, deliverySchemaFiles, SCHEMA_FOLDER, schemaFiles } from './schema-files.js';
import { EXAMPLE_FOLDER, exampleFiles } from './example-files.js';

// Writes the published schemas and examples, and deletes those that the catalogue no longer has. `npm run format` lays them out.
writeFolder(SCHEMA_FOLDER, schemaFiles());
writeFolder(DELIVERY_SCHEMA_FOLDER, deliverySchemaFiles());
writeFolder(EXAMPLE_FOLDER, exampleFiles());

function writeFolder(folder: URL, files: ReadonlyMap<string, object>): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (!files.has(name)) rmSync(new URL(name, folder));
  }
  for (const [name, content] of files)
    writeFileSync(new URL(name, folder), JSON.stringify(content, undefined, 2));
}
