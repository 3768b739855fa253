import { readFileSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { compileSchemas } from './compile-schemas.js';

const KIT_FOLDER = join(REPOSITORY_ROOT, 'libs/downstream');

/** The modules of noble have no CommonJS form, so a CommonJS bundle contains them. */
const ESM_ONLY = ['@noble/hashes', '@noble/secp256k1'];
/** Others stay dependencies, so that their fixes reach those who have installed the kit. */
const EXTERNAL = ['https-proxy-agent', 'undici', 'ws', 'zod'];

/** The validators of both forms. They are CommonJS, because a file of each form would be a third of the package. */
const SCHEMAS_FILE = './schemas.cjs';

/** Ajv compiles schemas when it runs, which takes time and which browsers may forbid. */
const COMPILED_SCHEMAS: esbuild.Plugin = {
  name: 'compiled schemas',
  setup: (build) => {
    build.onResolve({ filter: /^\.\/schemas\.cjs$/ }, () => ({ path: SCHEMAS_FILE, external: true }));
    build.onLoad({ filter: /\/libs\/events\/dist\/src\/compile-schema\.js$/ }, () => ({
      contents: `import schemas from '${SCHEMAS_FILE}';
export function compileSchema({ $id }) {
  const validator = schemas.VALIDATORS[$id];
  if (validator === undefined) throw new Error('No schema ' + $id);
  return validator;
}`,
      loader: 'js',
    }));
  },
};

const OPTIONS: esbuild.BuildOptions = {
  absWorkingDir: KIT_FOLDER,
  bundle: true,
  platform: 'node',
  target: 'es2022',
  conditions: ['portable'],
  minify: true,
  // Node prints the line and the class of an uncaught error. Without short identifiers the package would be 8 kB larger.
  keepNames: true,
  lineLimit: 160,
  legalComments: 'none',
  logLevel: 'silent',
  metafile: true,
  plugins: [COMPILED_SCHEMAS],
};

/**
 * Writes index.js and verify.js with the module that they share, index.cjs, and the schemas.
 * @returns the packages that the modules import
 * @throws Error when verification needs Node
 */
export async function bundleKit(folder: string): Promise<string[]> {
  await writeSchemas(join(folder, SCHEMAS_FILE));
  const modules = await build({
    entryPoints: { index: 'dist/src/index.js', verify: 'dist/src/verify.js' },
    outdir: folder,
    format: 'esm',
    splitting: true,
    chunkNames: 'shared-[hash]',
    external: [...EXTERNAL, ...ESM_ONLY],
  });
  const { outputs } = modules;
  const verify = Object.keys(outputs).find((path) => path.endsWith('/verify.js')) ?? '';
  const needed = importsOf(outputs, verify).filter((path) => isBuiltin(path) || EXTERNAL.includes(path));
  if (needed.length > 0) throw new Error(`Verification would need Node or a package: ${needed.join(', ')}`);
  const script = await build({
    entryPoints: { index: 'dist/src/index.js' },
    outdir: folder,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    external: EXTERNAL,
  });
  const imports = [outputs, script.outputs].flatMap((each) =>
    Object.keys(each).flatMap((path) => importsOf(each, path)),
  );
  const packages = imports.filter((path) => path !== SCHEMAS_FILE && !isBuiltin(path)).map(packageOf);
  return [...new Set(packages)].sort();
}

/** The validators never throw, so their names are short. Line ends of statements pack better than those of a limit alone. */
async function writeSchemas(file: string): Promise<void> {
  await build({
    stdin: { contents: compileSchemas(), resolveDir: join(REPOSITORY_ROOT, 'tools') },
    outfile: file,
    format: 'cjs',
    minify: false,
    minifySyntax: true,
    minifyIdentifiers: true,
    keepNames: false,
  });
  const text = readFileSync(file, 'utf8');
  if (text.includes('`')) throw new Error('The schemas have a text of several lines.');
  writeFileSync(file, text.replaceAll(/^ +/gm, ''));
}

/** Names of what the published module exports, from its text. */
export async function exportsOf(file: string): Promise<string[]> {
  const { metafile } = await esbuild.build({
    entryPoints: [file],
    write: false,
    metafile: true,
    logLevel: 'silent',
    format: 'esm',
  });
  return Object.values(metafile.outputs)
    .flatMap((output) => output.exports)
    .sort();
}

async function build(options: esbuild.BuildOptions): Promise<esbuild.Metafile> {
  const { warnings, metafile } = await esbuild.build({ ...OPTIONS, ...options, metafile: true });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
  return metafile;
}

/** What a file and the files that it shares import from outside. */
function importsOf(outputs: esbuild.Metafile['outputs'], file: string): string[] {
  return (outputs[file]?.imports ?? []).flatMap(({ path, external }) =>
    external === true ? [path] : importsOf(outputs, path),
  );
}

function isBuiltin(path: string): boolean {
  return path.startsWith('node:') || builtinModules.includes(path);
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
