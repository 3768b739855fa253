import { standardError, type SettingsDefinition } from '@ssb/platform';
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { buildConsole } from '../../build/build-console.js';
import { bundle, BUNDLES_FOLDER } from '../../build/bundle-apps.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { PackageCopier } from './copy-package.js';
import { collectBundleNeeds, type ImageCommands, IMAGES } from './image-contents.js';
import type { HealthPort } from './runtime/healthcheck.js';

/** Modules that run in the image as they are. */
const RUNTIME_FOLDER = fileURLToPath(new URL('./runtime/', import.meta.url));

/** `node tools/dist/deploy/images/assemble-images.js <folder>` writes the files of every image. The Dockerfile runs it. */
const [target] = process.argv.slice(2);
if (target === undefined) {
  standardError.write('The folder to write to is missing. Give it as the only argument.\n');
  process.exit(2);
}
// The image of the api contains it.
await buildConsole();
for (const [app, commands] of Object.entries(IMAGES)) await assembleImage(app, commands, join(target, app));
mkdirSync(join(target, 'data'));
mkdirSync(join(target, 'cli', 'bin'));
symlinkSync('/app/main.js', join(target, 'cli', 'bin', 'busbridge'));
await esbuild.stop();

/**
 * Writes the files of an app's image into `<folder>/packages` and `<folder>/app`, which become two layers of the image.
 * The paths are those of the repository, because a bundled module finds its files relative to its own address.
 */
async function assembleImage(
  app: string,
  { main = '', ...commands }: ImageCommands,
  folder: string,
): Promise<void> {
  const appFolder = join(folder, 'app');
  const bundles = join(appFolder, 'bundles');
  // App and busbridge load chunks when they need them. A command of an app is one file with only what it uses.
  const metafiles = [
    await bundle({ main }, { outdir: bundles, splitting: true }),
    await bundle(commands, { outdir: bundles, splitting: false }),
  ];
  for (const worker of collectBundleNeeds(metafiles).workers)
    metafiles.push(await bundleWorker(worker, appFolder));
  const { files, packages } = collectBundleNeeds(metafiles);
  for (const file of files) cpSync(join(REPOSITORY_ROOT, file), join(appFolder, file), { recursive: true });
  const packagesFolder = join(folder, 'packages');
  mkdirSync(join(packagesFolder, 'node_modules'), { recursive: true });
  const copier = new PackageCopier(REPOSITORY_ROOT.replace(/\/$/, ''), packagesFolder);
  for (const { from, specifier } of packages) copier.copy(specifier, dirname(join(REPOSITORY_ROOT, from)));
  // Packages load some others only if they are installed.
  for (const specifier of metafiles.flatMap(getExternalPackages))
    copier.copyIfInstalled(specifier, BUNDLES_FOLDER);
  await writeEntryFiles(app, ['main', ...Object.keys(commands)], appFolder);
}

/** The worker keeps its address, at which the app starts it. */
async function bundleWorker(file: string, appFolder: string): Promise<esbuild.Metafile> {
  const name = basename(file, '.js');
  const metafile = await bundle({ [name]: file }, { outdir: join(appFolder, 'bundles'), splitting: false });
  const address = join(appFolder, file);
  mkdirSync(dirname(address), { recursive: true });
  const bundled = relative(dirname(address), join(appFolder, 'bundles', `${name}.js`));
  writeFileSync(address, `import '${bundled}';\n`);
  return metafile;
}

async function writeEntryFiles(app: string, commands: readonly string[], appFolder: string): Promise<void> {
  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(appFolder, name), `${lines.join('\n')}\n`);
  mkdirSync(join(appFolder, 'runtime'));
  for (const name of ['end-on-signal.js', 'healthcheck.js'])
    cpSync(join(RUNTIME_FOLDER, name), join(appFolder, 'runtime', name));
  for (const command of commands) {
    write(`${command}.js`, [
      '#!/usr/bin/env node',
      "import './runtime/end-on-signal.js';",
      // Imports of a module are loaded before it runs, and that takes most of the start.
      `await import('./bundles/${command}.js');`,
    ]);
    chmodSync(join(appFolder, `${command}.js`), 0o755);
  }
  if (app !== 'cli')
    write('healthcheck.js', [
      "import { checkHealth } from './runtime/healthcheck.js';",
      `await checkHealth(${JSON.stringify(await readHealthPort(app))});`,
    ]);
  const manifest = JSON.parse(readFileSync(join(REPOSITORY_ROOT, 'apps', app, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
  };
  const { name, version } = manifest;
  write('package.json', [JSON.stringify({ name, version, private: true, type: 'module' })]);
}

async function readHealthPort(app: string): Promise<HealthPort> {
  const settings = join(REPOSITORY_ROOT, 'apps', app, 'dist/src/settings.js');
  const { definition } = (await import(settings)) as { readonly definition: SettingsDefinition };
  return {
    defaultPort: Number(definition['PORT']?.default),
    management: 'MANAGEMENT_PORT' in definition,
  };
}

function getExternalPackages({ outputs }: esbuild.Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  return imports.flatMap(({ path, external }) => (external === true && !isBuiltin(path) ? [path] : []));
}
