import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { REPOSITORY_ROOT } from '../system/processes.js';

/** One file for each app and command, and chunks that the apps share. Bundles halve the processor time of a start. */
export const BUNDLES_FOLDER = join(REPOSITORY_ROOT, 'bundles');

/** A called command loads only its own chunks. They are built apart from those of the apps. */
const CLI = 'apps/cli/dist/src/main.js';

/** Run often and briefly. Each is one file with only what it uses; in chunks shared with the apps it would load the apps' framework. */
const COMMANDS = [CLI, 'tools/dist/demo.js', 'tools/dist/start.js'];

const MANIFEST_FILE = join(BUNDLES_FOLDER, 'manifest.json');

/** How the bundles are built, and the version of esbuild. */
const OWN_INPUTS = [relative(REPOSITORY_ROOT, fileURLToPath(import.meta.url)), 'package-lock.json'];

/** Describes the current bundles. */
export interface Manifest {
  /** Epoch milliseconds, before the first input was read. */
  readonly builtAt: number;
  readonly entryPoints: readonly string[];
  /** Paths of all input files in the repository. */
  readonly inputs: readonly string[];
}

/** Native modules, packages that read their own files, and optional packages that are not installed. */
const EXTERNAL_PACKAGES = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'bufferutil',
  'msgpackr-extract',
  'pdfmake',
  'pg-native',
  'utf-8-validate',
];

/**
 * Modules for which Node would choose CommonJS. Nest imports class-transformer and class-validator at run time and expects named exports; of
 * the others, esbuild keeps only what is used.
 */
const MODULE_ALIASES = {
  bullmq: './node_modules/bullmq/dist/esm/index.js',
  'class-transformer': 'class-transformer/esm2015/index.js',
  'class-validator': 'class-validator/esm2015/index.js',
  rxjs: './node_modules/rxjs/dist/esm/index.js',
  'rxjs/operators': './node_modules/rxjs/dist/esm/operators/index.js',
};

/** The messages of zod in 50 other languages, which every app would load. */
const NO_ZOD_LOCALES: esbuild.Plugin = {
  name: 'no zod locales',
  setup: (build) =>
    build.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export {};',
      loader: 'js',
    })),
};

/** Code that finds files next to itself (migrations, scenarios, schemas, workers) still finds them from a bundle. */
const KEEP_MODULE_URLS: esbuild.Plugin = {
  name: 'keep module urls',
  setup: (build) =>
    build.onLoad({ filter: /\/(tools|(apps|libs)\/[^/]+)\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = `new URL(${JSON.stringify(relative(BUNDLES_FOLDER, path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', url), loader: 'js' };
    }),
};

const EMPTY_SOURCE_MAP = Buffer.from('{"version":3,"sources":["package"],"mappings":"AAAA"}').toString(
  'base64',
);

/** Source maps of packages would take up to 20 MB of memory in every app. */
const NO_PACKAGE_SOURCE_MAPS: esbuild.Plugin = {
  name: 'no package source maps',
  setup: (build) =>
    build.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${EMPTY_SOURCE_MAP}\n`,
      loader: 'js',
    })),
};

/** Writes `bundles/<name>.js` for each app and command from the output of `tsc -b`. */
export async function bundleApps(): Promise<void> {
  const builtAt = Date.now();
  // The new folder replaces the old one by a rename, so an app that starts meanwhile finds all of its files.
  const folder = `${BUNDLES_FOLDER}.${process.pid}`;
  try {
    const inputs = [...(await bundleInto(folder)), ...OWN_INPUTS];
    const manifest: Manifest = { builtAt, entryPoints: entryPoints(), inputs };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await mkdir(BUNDLES_FOLDER, { recursive: true });
    await rename(BUNDLES_FOLDER, `${folder}.old`);
    await rename(folder, BUNDLES_FOLDER);
  } finally {
    await esbuild.stop();
    for (const leftover of [folder, `${folder}.old`]) await rm(leftover, { recursive: true, force: true });
  }
}

/** True if the bundles exist and no input has changed since they were built. */
export function bundlesAreCurrent(manifest = readManifest()): boolean {
  return (
    manifest !== undefined &&
    manifest.entryPoints.join() === entryPoints().join() &&
    manifest.inputs.every((file) => getModifiedAt(file) < manifest.builtAt)
  );
}

/** @returns the input files */
async function bundleInto(folder: string): Promise<string[]> {
  const isCommand = (file: string): boolean => COMMANDS.includes(file);
  const results = await Promise.all([
    bundle(nameBundles(entryPoints().filter((file) => !isCommand(file))), {
      outdir: folder,
      splitting: true,
    }),
    bundle(nameBundles(COMMANDS.filter((file) => file !== CLI)), { outdir: folder, splitting: false }),
    bundle(nameBundles([CLI]), { outdir: folder, splitting: true }),
  ]);
  return [...new Set(results.flatMap(({ inputs }) => Object.keys(inputs)))];
}

/**
 * Bundles compiled files.
 * @param files bundle name → path in the repository
 */
export async function bundle(
  files: Readonly<Record<string, string>>,
  output: Pick<esbuild.BuildOptions, 'outdir' | 'splitting' | 'minify'>,
): Promise<esbuild.Metafile> {
  const { metafile } = await esbuild.build({
    ...output,
    absWorkingDir: REPOSITORY_ROOT,
    entryPoints: { ...files },
    bundle: true,
    chunkNames: 'shared-[hash]',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    keepNames: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    external: EXTERNAL_PACKAGES,
    alias: MODULE_ALIASES,
    plugins: [KEEP_MODULE_URLS, NO_ZOD_LOCALES, NO_PACKAGE_SOURCE_MAPS],
    // CommonJS packages call require for Node's own modules.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  });
  return metafile;
}

/** Paths of compiled files in the repository. */
export function entryPoints(): string[] {
  const apps = readdirSync(join(REPOSITORY_ROOT, 'apps'))
    .filter((name) => existsSync(join(REPOSITORY_ROOT, 'apps', name, 'src/main.ts')))
    .map((name) => `apps/${name}/dist/src/main.js`);
  return [...new Set([...apps, ...COMMANDS])];
}

/** Named `broker` for apps/broker/dist/src/main.js, `start` for tools/dist/start.js. */
function nameBundles(files: readonly string[]): Record<string, string> {
  const nameOf = (file: string): string => {
    const [folder, app = ''] = file.split('/');
    return folder === 'apps' ? app : basename(file, '.js');
  };
  return Object.fromEntries(files.map((file) => [nameOf(file), file]));
}

/** Undefined when no manifest can be read; then the bundles are built again. */
function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(MANIFEST_FILE, 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

/** Epoch milliseconds; infinite when the file does not exist. */
function getModifiedAt(file: string): number {
  return statSync(join(REPOSITORY_ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}
