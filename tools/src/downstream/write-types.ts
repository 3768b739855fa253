import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../check/run-command.js';
import { REPOSITORY_ROOT } from '../system/processes.js';

const DECLARATIONS = join(REPOSITORY_ROOT, 'libs/downstream/dist/src');
/** The declarations of the kit need nothing from these packages. With their types, joining takes a minute instead of seconds. */
const WITHOUT_TYPES = ['ajv', 'undici', 'ws', 'zod'];

/**
 * Writes the declarations of both entries, in the forms of ESM and CommonJS. All are taken from one file: of a class with private members, two
 * declarations are different types.
 */
export async function writeTypes(folder: string): Promise<void> {
  const declarations = await joinDeclarations('index');
  const names = exportedNames(readFileSync(join(DECLARATIONS, 'verify.d.ts'), 'utf8'));
  const part = `export {\n${names.map((name) => `  ${name},\n`).join('')}} from './index.cjs';\n`;
  for (const [file, content] of [
    ['index.d.cts', declarations],
    ['index.d.ts', "export * from './index.cjs';\n"],
    ['verify.d.cts', part],
    ['verify.d.ts', part],
  ] as const)
    writeFileSync(join(folder, file), content);
}

/** Of a module that has nothing but lists of exports. */
function exportedNames(text: string): string[] {
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []),
  );
}

/** All declarations that an entry needs, as one text. @throws Error when they cannot be joined */
async function joinDeclarations(entry: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'downstream-types-'));
  try {
    const project = join(folder, 'tsconfig.json');
    const [input, output] = [join(DECLARATIONS, `${entry}.d.ts`), join(folder, 'index.d.ts')];
    const empty = join(folder, 'empty.d.ts');
    writeFileSync(empty, 'export {};\n');
    const compilerOptions = {
      target: 'ES2023',
      module: 'nodenext',
      strict: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(REPOSITORY_ROOT, 'node_modules/@types')],
      paths: Object.fromEntries(WITHOUT_TYPES.map((name) => [name, [empty]])),
    };
    writeFileSync(project, JSON.stringify({ compilerOptions, files: [input] }));
    const program = join(REPOSITORY_ROOT, 'node_modules/.bin/dts-bundle-generator');
    const options = ['--no-banner', '--no-check', '--silent', '--export-referenced-types=false'];
    const result = await runCommand(program, ['--project', project, ...options, '-o', output, input]);
    if (!result.ok) throw new Error(`The declarations cannot be joined:\n${result.output}`);
    return readFileSync(output, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
