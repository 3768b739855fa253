import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { REPOSITORY } from '../system/app-process.js';

/** One file an app, and what they share. An app starts from here in half the processor time (docs/decisions/0031-bundles.md). */
const BUNDLES = join(REPOSITORY, 'bundles');

/** The commands of `tools` that are bundled as well. */
const TOOLS = ['dead-letters', 'demo', 'start'];

/** What the last bundles were made of. */
const MANIFEST = join(BUNDLES, 'manifest.json');

export interface Manifest {
  /** Epoch milliseconds, before the first file was read. */
  readonly madeAt: number;
  readonly esbuild: string;
  readonly entryPoints: readonly string[];
  /** Every file that was read, by its path in the repository. */
  readonly inputs: readonly string[];
}

/** Machine code, files read from a package's folder, and optional packages that are not installed. */
const NOT_BUNDLED = [
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

/** Nest imports these while it runs and expects named exports, which the bundler does not give for CommonJS. */
const AS_MODULES = {
  'class-transformer': 'class-transformer/esm2015/index.js',
  'class-validator': 'class-validator/esm2015/index.js',
};

/** Keeps the files that our code finds beside itself (migrations, scenarios, schemas, workers) where they are. */
const OWN_ADDRESSES: esbuild.Plugin = {
  name: 'own addresses',
  setup: (build) =>
    build.onLoad({ filter: /\/(tools|(apps|libs)\/[^/]+)\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const address = `new URL(${JSON.stringify(relative(BUNDLES, path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), loader: 'js' };
    }),
};

const EMPTY_MAP = Buffer.from('{"version":3,"sources":["package"],"mappings":"AAAA"}').toString('base64');

/** An empty map for each file of a package: maps of all of them take up to 20 MB of memory in every app. */
const MAPS_OF_OUR_CODE_ALONE: esbuild.Plugin = {
  name: 'maps of our code alone',
  setup: (build) =>
    build.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${EMPTY_MAP}\n`,
      loader: 'js',
    })),
};

/** Writes `bundles/<name>.js` for each app and each of `TOOLS` from what `tsc -b` wrote. */
export async function bundleApps(): Promise<void> {
  const madeAt = Date.now();
  // Written beside the bundles in use and then renamed: an app that starts meanwhile finds all of its files.
  const folder = `${BUNDLES}.${process.pid}`;
  try {
    const inputs = await bundleInto(folder);
    const manifest: Manifest = { madeAt, esbuild: esbuild.version, entryPoints: entryPoints(), inputs };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await mkdir(BUNDLES, { recursive: true });
    await rename(BUNDLES, `${folder}.old`);
    await rename(folder, BUNDLES);
  } finally {
    await esbuild.stop();
    for (const left of [folder, `${folder}.old`]) await rm(left, { recursive: true, force: true });
  }
}

/** Whether the bundles are there and nothing that they were made of has changed since. */
export function bundlesAreCurrent(manifest = readManifest()): boolean {
  if (manifest === undefined) return false;
  const own = relative(REPOSITORY, fileURLToPath(import.meta.url));
  return (
    manifest.esbuild === esbuild.version &&
    manifest.entryPoints.join() === entryPoints().join() &&
    [...manifest.inputs, own].every((file) => changedAt(file) < manifest.madeAt)
  );
}

/** @returns the files that were read */
async function bundleInto(folder: string): Promise<string[]> {
  const { metafile } = await esbuild.build({
    absWorkingDir: REPOSITORY,
    entryPoints: entryPoints().map((file) => ({ in: file, out: nameOf(file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
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
    external: NOT_BUNDLED,
    alias: AS_MODULES,
    plugins: [OWN_ADDRESSES, MAPS_OF_OUR_CODE_ALONE],
    // Packages in CommonJS call require for what Node itself brings.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs);
}

/** Compiled files, by their paths in the repository. */
export function entryPoints(): string[] {
  const apps = readdirSync(join(REPOSITORY, 'apps'))
    .filter((name) => existsSync(join(REPOSITORY, 'apps', name, 'package.json')))
    .map((name) => `apps/${name}/dist/src/main.js`);
  return [...apps, ...TOOLS.map((tool) => `tools/dist/${tool}.js`)];
}

/** `broker` of apps/broker/dist/src/main.js, `start` of tools/dist/start.js. */
function nameOf(file: string): string {
  const [place, app = ''] = file.split('/');
  return place === 'apps' ? app : basename(file, '.js');
}

/** Undefined when there is none that can be read: then the bundles are made again. */
function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

/** Epoch milliseconds; infinite when there is no such file. */
function changedAt(file: string): number {
  return statSync(join(REPOSITORY, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}
