import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { bundle, BUNDLES_FOLDER } from '../../build/bundle-apps.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { getPackageName, PackageCopier } from './copy-package.js';
import { collectNeeds, type ImageContents } from './image-contents.js';

/** Modules that run in the image as they are. */
const RUNTIME_FOLDER = fileURLToPath(new URL('./runtime/', import.meta.url));
const RUNTIME_MODULES = ['end-on-signal.js', 'healthcheck.js'];

/**
 * Writes the files of an app's image into `<folder>/packages` and `<folder>/app`, which become two layers of the image.
 * The paths are those of the repository, because a bundled module finds its files relative to its own address.
 */
export async function assembleImage(app: string, contents: ImageContents, folder: string): Promise<void> {
  const appFolder = join(folder, 'app');
  const bundles = join(appFolder, 'bundles');
  const { main = '', ...commands } = contents.commands;
  // The app loads chunks when it needs them. A command is one file with only what it uses.
  const metafiles = [
    await bundle({ main }, { outdir: bundles, splitting: contents.health !== undefined }),
    await bundle(commands, { outdir: bundles, splitting: false }),
  ];
  const needs = collectNeeds(metafiles.flatMap(getInputs), findsFilesByAddress);
  for (const worker of needs.workers) metafiles.push(await bundleWorker(worker, appFolder));
  const all = collectNeeds([...new Set(metafiles.flatMap(getInputs))], findsFilesByAddress);
  for (const file of all.files)
    cpSync(join(REPOSITORY_ROOT, file), join(appFolder, file), { recursive: true });
  copyPackages(all.packages, metafiles.flatMap(getExternalPackages), join(folder, 'packages'));
  writeEntryFiles(app, contents, appFolder);
}

/** The worker keeps its address, at which the app starts it. */
async function bundleWorker(file: string, appFolder: string): Promise<Metafile> {
  const name = basename(file, '.js');
  const metafile = await bundle({ [name]: file }, { outdir: join(appFolder, 'bundles'), splitting: false });
  const address = join(appFolder, file);
  mkdirSync(dirname(address), { recursive: true });
  const target = relative(dirname(address), join(appFolder, 'bundles', `${name}.js`));
  writeFileSync(address, `import '${target}';\n`);
  return metafile;
}

function copyPackages(
  required: readonly { readonly from: string; readonly specifier: string }[],
  external: readonly string[],
  target: string,
): void {
  mkdirSync(join(target, 'node_modules'), { recursive: true });
  const copier = new PackageCopier(REPOSITORY_ROOT.replace(/\/$/, ''), target);
  for (const { from, specifier } of required)
    copier.copy(getPackageName(specifier), dirname(join(REPOSITORY_ROOT, from)));
  // Packages load some others only if they are installed.
  for (const specifier of external) copier.copyIfInstalled(getPackageName(specifier), BUNDLES_FOLDER);
}

function writeEntryFiles(app: string, { commands, health }: ImageContents, appFolder: string): void {
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(appFolder, name), `${lines.join('\n')}\n`);
  mkdirSync(join(appFolder, 'runtime'));
  for (const name of RUNTIME_MODULES) cpSync(join(RUNTIME_FOLDER, name), join(appFolder, 'runtime', name));
  for (const command of Object.keys(commands)) {
    write(`${command}.js`, [
      '#!/usr/bin/env node',
      "import './runtime/end-on-signal.js';",
      // Imports of a module are loaded before it runs, and that takes most of the start.
      `await import('./bundles/${command}.js');`,
    ]);
    chmodSync(join(appFolder, `${command}.js`), 0o755);
  }
  if (health !== undefined)
    write('healthcheck.js', [
      "import { checkHealth } from './runtime/healthcheck.js';",
      `await checkHealth(${JSON.stringify(health)});`,
    ]);
  const manifest = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'apps', app, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  const { name, version } = manifest;
  write('package.json', [JSON.stringify({ name, version, private: true, type: 'module' })]);
}

/** Paths in the repository. */
function getInputs({ inputs }: Metafile): string[] {
  return Object.keys(inputs);
}

function getExternalPackages({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return imports.flatMap(({ path, external }) => (external === true && !isBuiltin(path) ? [path] : []));
}

function findsFilesByAddress(module: string): boolean {
  return (
    /^(apps|libs|tools)\/.*\.js$/.test(module) &&
    !module.includes('/node_modules/') &&
    readFileSync(join(REPOSITORY_ROOT, module), 'utf8').includes('import.meta.')
  );
}
