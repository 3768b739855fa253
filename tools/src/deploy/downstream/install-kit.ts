import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  buildDownstreamPackage,
  type DownstreamPackage,
  findDependency,
} from '../../downstream/build-package.js';
import { packFolders } from '../../packages/pack-folders.js';
import { runOrFail } from '../deploy-check.js';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** The packed kit, installed in a folder that is removed when this process ends. */
export interface InstalledKit extends DownstreamPackage {
  readonly folder: string;
}

let installedKit: Promise<InstalledKit> | undefined;

/** Builds and installs the kit once for all checks of this process. */
export function provideKit(): Promise<InstalledKit> {
  return (installedKit ??= buildAndInstall());
}

async function buildAndInstall(): Promise<InstalledKit> {
  const folder = mkdtempSync(join(tmpdir(), 'downstream-package-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const built = await buildDownstreamPackage(folder);
  await installOffline(built.tarball, Object.keys(built.dependencies), folder);
  return { ...built, folder };
}

/**
 * Installs the packed kit in a folder, offline: what it depends on is packed from `node_modules`.
 * @param dependencies names of the packages that the kit lists
 */
async function installOffline(
  tarball: string,
  dependencies: readonly string[],
  folder: string,
): Promise<void> {
  const packed = join(folder, 'packed');
  mkdirSync(packed);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const sources = new Set<string>();
  for (const name of dependencies) addFolders(name, findDependency(name).library, sources);
  const tarballs = [tarball, ...(await packFolders([...sources], packed))];
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--cache'];
  await runOrFail('npm', [...args, join(folder, 'npm-cache'), ...tarballs], {
    cwd: folder,
    timeoutMs: 120_000,
  });
}

/** Adds the installed folder of a package and of all that it depends on. @param from folder that requires it */
function addFolders(name: string, from: string, found: Set<string>): void {
  const folder = findFolder(name, from);
  if (found.has(folder)) return;
  found.add(folder);
  for (const each of Object.keys(readManifest(folder).dependencies ?? {})) addFolders(each, folder, found);
}

function findFolder(name: string, from: string): string {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => isPackage(path, name));
  if (folder === undefined) throw new Error(`${from} needs ${name}, which is not installed.`);
  return folder;
}

function isPackage(folder: string, name: string): boolean {
  try {
    return readManifest(folder).name === name;
  } catch {
    return false;
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
