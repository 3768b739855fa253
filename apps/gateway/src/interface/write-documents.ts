import { writeFile } from 'node:fs/promises';
import { committedDocuments } from './committed-documents.js';
import { yamlText } from './yaml-text.js';

/** Writes rest.yaml and ws.yaml; `npm run format` afterwards puts them in the form of the house. */
for (const { name, document } of committedDocuments()) {
  await writeFile(new URL(`../../${name}`, import.meta.url), yamlText(document));
}
