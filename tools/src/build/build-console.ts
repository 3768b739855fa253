import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import * as esbuild from 'esbuild';
import { build, createServer, defaultClientConditions, type InlineConfig, type Plugin } from 'vite';
import { compileSchemas } from '../downstream/compile-schemas.js';
import { REPOSITORY_ROOT } from '../system/processes.js';

const CONSOLE_FOLDER = join(REPOSITORY_ROOT, 'apps/console');

/** What the api serves. */
const SITE_FOLDER = join(CONSOLE_FOLDER, 'dist/site');

const MANIFEST_FILE = join(CONSOLE_FOLDER, 'dist/site-inputs.json');

/** Paths in the repository that no module of the console imports. */
const OWN_INPUTS = [
  relative(REPOSITORY_ROOT, fileURLToPath(import.meta.url)),
  'apps/console/index.html',
  'package-lock.json',
];

interface Manifest {
  /** Epoch milliseconds, before the first input was read. */
  readonly builtAt: number;
  readonly inputs: readonly string[];
}

/** Writes the files of the console that a browser loads. */
export async function buildConsole(): Promise<void> {
  const builtAt = Date.now();
  const inputs = new Set(OWN_INPUTS);
  await build({ ...configuration(), plugins: [react(), compiledSchemas(inputs), recordInputs(inputs)] });
  await compressAssets();
  const manifest: Manifest = { builtAt, inputs: [...inputs].sort() };
  await writeFile(MANIFEST_FILE, JSON.stringify(manifest));
}

/** True if the files exist and no input has changed since they were written. */
export async function consoleIsCurrent(): Promise<boolean> {
  if (!existsSync(join(SITE_FOLDER, 'index.html')) || !existsSync(MANIFEST_FILE)) return false;
  const { builtAt, inputs } = JSON.parse(await readFile(MANIFEST_FILE, 'utf8')) as Manifest;
  return inputs.every((file) => getModifiedAt(file) < builtAt);
}

/**
 * Serves the console with changes applied at once.
 * @param apiUrl where requests to the archive API go
 * @param token is sent with them, so that nobody needs to sign in
 * @returns its address
 */
export async function serveConsole(apiUrl: string, token?: string): Promise<string> {
  // The api compares the origin of a request with its own address.
  const headers = { origin: apiUrl, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const proxied = ['/v1', '/schemas', '/openapi.json', '^/sign-in(?!-failed)', '/sign-out'];
  const server = await createServer({
    ...configuration(),
    plugins: [react(), compiledSchemas(), absentFunctions()],
    server: {
      host: '127.0.0.1',
      proxy: Object.fromEntries(
        proxied.map((path) => [path, { target: apiUrl, changeOrigin: true, headers }]),
      ),
    },
  });
  await server.listen();
  return server.resolvedUrls?.local[0] ?? '';
}

/** Compressed once and well, which the api could not do at each request. */
async function compressAssets(): Promise<void> {
  const folder = join(SITE_FOLDER, 'assets');
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const content = await readFile(file);
    await writeFile(`${file}.br`, brotliCompressSync(content));
    await writeFile(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
  }
}

function configuration(): InlineConfig {
  return {
    configFile: false,
    root: CONSOLE_FOLDER,
    logLevel: 'error',
    clearScreen: false,
    // Verification without Node: the condition of libs/identity.
    resolve: { conditions: ['portable', ...defaultClientConditions] },
    build: {
      outDir: SITE_FOLDER,
      emptyOutDir: true,
      target: 'es2023',
      // The strict Content-Security-Policy allows no data: address for scripts and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  };
}

/** Ajv compiles schemas when it runs, which the Content-Security-Policy of the console forbids. */
function compiledSchemas(inputs = new Set<string>()): Plugin {
  const module = '\0schemas';
  return {
    name: 'compiled schemas',
    enforce: 'pre',
    resolveId: (id) => (id === 'virtual:schemas' ? module : null),
    load: async (id) => {
      if (id === module) {
        for (const file of await listCompilerFiles()) inputs.add(file);
        return bundleSchemas();
      }
      if (!id.endsWith('/libs/events/dist/src/compile-schema.js')) return null;
      return `import { VALIDATORS } from 'virtual:schemas';
export function compileSchema({ $id }) {
  const validator = VALIDATORS[$id];
  if (validator === undefined) throw new Error('No schema ' + $id);
  return validator;
}`;
    },
  };
}

/** The compiler of the schemas, and all files of the repository that it imports. The lock file stands for those of packages. */
async function listCompilerFiles(): Promise<string[]> {
  const { metafile } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL('../downstream/compile-schemas.js', import.meta.url))],
    absWorkingDir: REPOSITORY_ROOT,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [{ name: 'external packages', setup: leaveOutPackages }],
  });
  return Object.keys(metafile.inputs);
}

function leaveOutPackages(compilation: esbuild.PluginBuild): void {
  compilation.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || /^(@ssb\/|settlement-bus-downstream\b)/.test(path)
      ? undefined
      : { path, external: true },
  );
}

/** Unbundled modules of libs/identity import functions of Node for private keys, which no browser has. A build leaves them out. */
function absentFunctions(): Plugin {
  const module = '\0absent functions';
  return {
    name: 'absent functions',
    enforce: 'pre',
    resolveId: (id) => (id === 'node:crypto' || id === 'node:util' ? module : null),
    load: (id) =>
      id === module
        ? `function absent() { throw new Error('A browser does not have this function of Node'); }
export { absent as randomBytes, absent as randomUUID, absent as inspect };`
        : null,
  };
}

async function bundleSchemas(): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: compileSchemas(), resolveDir: join(REPOSITORY_ROOT, 'tools') },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

/** Files of the repository that the console is built from. */
function recordInputs(inputs: Set<string>): Plugin {
  return {
    name: 'record inputs',
    buildEnd() {
      for (const id of this.getModuleIds()) {
        const [file = ''] = id.split('?', 1);
        const path = relative(REPOSITORY_ROOT, file);
        if (!path.startsWith('..') && !path.startsWith('node_modules') && existsSync(file)) inputs.add(path);
      }
    },
  };
}

/** Epoch milliseconds; infinite when the file does not exist. */
function getModifiedAt(file: string): number {
  return statSync(join(REPOSITORY_ROOT, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}
