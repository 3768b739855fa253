import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { bundle } from '../build/bundle-apps.js';
import { collectBundleNeeds } from '../deploy/images/image-contents.js';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { packFolders } from './pack-folders.js';

const BUNDLES = 'bundles';

/**
 * Builds the npm package of the command line from the output of `tsc -b`. It has no dependencies: without the native packages, signatures
 * are verified in JavaScript.
 * @param folder gets the packed file and a folder `package` with its content
 * @returns the packed file
 */
export async function buildCliPackage(folder: string): Promise<string> {
  const content = join(folder, 'package');
  mkdirSync(content, { recursive: true });
  const entry = { busbridge: 'apps/cli/dist/src/main.js' };
  try {
    const metafile = await bundle(entry, { outdir: join(content, BUNDLES), splitting: true, minify: true });
    // At the paths of the repository, because a bundled module finds its files relative to its own address.
    const { files } = collectBundleNeeds([metafile]);
    for (const file of files) cpSync(join(REPOSITORY_ROOT, file), join(content, file), { recursive: true });
    const manifest = createManifest(files);
    writeFileSync(join(content, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const [tarball = ''] = await packFolders([content], folder);
    return tarball;
  } finally {
    await esbuild.stop();
  }
}

function createManifest(files: readonly string[]): object {
  const { version, description } = JSON.parse(
    readFileSync(join(REPOSITORY_ROOT, 'apps/cli/package.json'), 'utf8'),
  ) as { readonly version: string; readonly description: string };
  return {
    name: 'settlement-bus-bridge-cli',
    version,
    description,
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20.19.0' },
    bin: { busbridge: `${BUNDLES}/busbridge.js` },
    files: [`${BUNDLES}/*.js`, ...files],
  };
}
