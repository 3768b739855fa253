import { writeFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../src/openapi/api-document.js';
import { describeApi } from './support/describe-api.js';

// Writes openapi.json from the controllers. `npm run format` lays it out.
writeFileSync(OPENAPI_FILE, `${JSON.stringify(await describeApi(), undefined, 2)}\n`);
