import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packFolders } from '../packages/pack-folders.js';
import { DOWNSTREAM_PACKAGE } from '../system/own-packages.js';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { bundleKit, exportsOf } from './bundle-kit.js';
import { writeTypes } from './write-types.js';

const KIT_FOLDER = join(REPOSITORY_ROOT, 'libs/downstream');
const COPIED_FILES = ['README.md', 'trust.schema.json', 'evidence.schema.json'];

interface Manifest {
  readonly version: string;
  readonly description: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface DownstreamPackage {
  /** The packed file. */
  readonly tarball: string;
  readonly bytes: number;
  /** What it depends on. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Builds the npm package of the kit from the output of `tsc -b`.
 * @param folder gets the packed file and a folder `package` with its content
 * @throws Error when it cannot be built
 */
export async function buildDownstreamPackage(folder: string): Promise<DownstreamPackage> {
  const content = join(folder, 'package');
  mkdirSync(content, { recursive: true });
  const packages = await bundleKit(content);
  await writeTypes(content);
  const names = await exportsOf(join(content, 'verify.js'));
  writeFileSync(join(content, 'verify.cjs'), commonJsPart(names));
  for (const name of COPIED_FILES) await copyFile(join(KIT_FOLDER, name), join(content, name));
  const dependencies = Object.fromEntries(packages.map((name) => [name, findDependency(name).range]));
  const { version, description } = readManifest('libs/downstream');
  const manifest = createManifest(version, description, dependencies);
  writeFileSync(join(content, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const [tarball = ''] = await packFolders([content], folder);
  return { tarball, bytes: statSync(tarball).size, dependencies };
}

function createManifest(version: string, description: string, dependencies: object): object {
  const entry = (name: string): object => ({
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  });
  return {
    name: DOWNSTREAM_PACKAGE,
    version,
    description,
    license: 'UNLICENSED',
    type: 'module',
    engines: { node: '>=20.19.0' },
    sideEffects: false,
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': entry('index'),
      './verify': entry('verify'),
      './trust.schema.json': './trust.schema.json',
      './evidence.schema.json': './evidence.schema.json',
      './package.json': './package.json',
    },
    files: ['*.js', '*.cjs', '*.d.ts', '*.d.cts', '*.schema.json'],
    dependencies,
  };
}

/** CommonJS has no shared modules in a bundle, so both entries use one. Otherwise each would have classes of its own. */
function commonJsPart(names: readonly string[]): string {
  const lines = names.map((name) => `exports.${name} = kit.${name};`);
  return ["'use strict';", "const kit = require('./index.cjs');", ...lines, ''].join('\n');
}

const LIBRARIES = ['identity', 'events', 'bus', 'net', 'platform', 'downstream'];

interface Dependency {
  /** The version of the package, as the library lists it. */
  readonly range: string;
  /** Folder of the library that lists it. */
  readonly library: string;
}

/** Which library of the kit depends on a package. */
export function findDependency(name: string): Dependency {
  for (const library of LIBRARIES.map((each) => join('libs', each))) {
    const range = readManifest(library).dependencies?.[name];
    if (range !== undefined) return { range, library: join(REPOSITORY_ROOT, library) };
  }
  throw new Error(`No library of the kit lists ${name} as a dependency.`);
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(REPOSITORY_ROOT, folder, 'package.json'), 'utf8')) as Manifest;
}
