import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOWNSTREAM_PACKAGE } from '../../system/own-packages.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';

export const VECTORS_FOLDER = join(REPOSITORY_ROOT, 'libs/events/vectors');

/** ECMAScript module and CommonJS. */
export const FORMS = ['mjs', 'cjs'] as const;
export type Form = (typeof FORMS)[number];

const MODULES = { fs: 'node:fs', ws: 'ws', kit: DOWNSTREAM_PACKAGE };

/**
 * Writes a program into the folder in which the kit is installed.
 * @param code has the modules `fs`, `ws` and `kit`
 * @returns its path
 */
export function writeKitProgram(folder: string, name: string, form: Form, code: string): string {
  const load = Object.entries(MODULES).map(([variable, module]) =>
    form === 'mjs'
      ? `import * as ${variable} from '${module}';\n`
      : `const ${variable} = require('${module}');\n`,
  );
  const file = join(folder, `${name}.${form}`);
  writeFileSync(file, `${load.join('')}${code}`);
  return file;
}
