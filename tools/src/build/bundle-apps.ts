import { existsSync, readdirSync, statSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** One file an app, and what they share. An app starts from here in half the processor time (docs/decisions/0031-bundles.md). */
const BUNDLES = join(REPOSITORY, 'bundles');

/** The commands of `tools` that are bundled as well. */
const TOOLS = ['dead-letters', 'demo', 'start'];

/** Names of the files that the last bundles were made of. */
const INPUTS = join(BUNDLES, 'inputs.json');

/** Machine code, files read from a package's folder, and optional packages that are not installed. */
const NOT_BUNDLED = [
  '@fastify/multipart',
  '@fastify/static',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'msgpackr-extract',
  'pdfmake',
  'pg-native',
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
  await rm(BUNDLES, { recursive: true, force: true });
  const apps = readdirSync(join(REPOSITORY, 'apps')).map((app) => ({
    in: `apps/${app}/dist/main.js`,
    out: app,
  }));
  const tools = TOOLS.map((tool) => ({ in: `tools/dist/${tool}.js`, out: tool }));
  const { metafile } = await esbuild.build({
    absWorkingDir: REPOSITORY,
    entryPoints: [...apps, ...tools],
    outdir: BUNDLES,
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    keepNames: true,
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
  await esbuild.stop();
  await writeFile(INPUTS, JSON.stringify(Object.keys(metafile.inputs)));
}

/** Whether nothing that the bundles were made of has changed since. */
export async function bundlesAreCurrent(): Promise<boolean> {
  if (!existsSync(INPUTS)) return false;
  const madeAt = statSync(INPUTS).mtimeMs;
  const inputs = JSON.parse(await readFile(INPUTS, 'utf8')) as string[];
  return inputs.every(
    (input) => (statSync(join(REPOSITORY, input), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < madeAt,
  );
}
