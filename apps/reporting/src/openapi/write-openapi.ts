import { writeFile } from 'node:fs/promises';
import { definition } from '../settings.js';
import { openApiText } from './document.js';

/** Writes openapi.json beside this package's package.json, as the document is served with the default settings. */
const file = new URL('../../../openapi.json', import.meta.url);
await writeFile(file, openApiText(definition.TOKEN_ISSUER.default));
