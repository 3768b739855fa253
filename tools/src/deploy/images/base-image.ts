import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CheckFailure } from '../check-failure.js';
import { type Buildah, runProgram } from './buildah.js';

/** Debian release of the default base image. */
const SUITE = 'bookworm';
const MIRROR = 'http://deb.debian.org/debian';
/** Libraries that a build of Node may be linked with. */
const PACKAGES = ['libatomic1', 'libstdc++6'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes a base image from Debian packages and the Node of this machine, unless the storage has it already.
 * It stands in for node:24-bookworm-slim where no image registry can be reached.
 * @returns its name
 */
export async function ensureBaseImage(buildah: Buildah, workFolder: string): Promise<string> {
  const name = `localhost/node-${SUITE}:${process.versions.node}`;
  if (await buildah.hasImage(name)) return name;
  const debian = join(workFolder, 'debian.tar');
  const node = join(workFolder, 'node');
  await runProgram('mmdebstrap', [
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    '--dpkgopt=path-exclude=/usr/share/doc/*',
    '--dpkgopt=path-exclude=/usr/share/locale/*',
    '--dpkgopt=path-exclude=/usr/share/man/*',
    SUITE,
    debian,
    MIRROR,
  ]);
  await copyNode(node);
  const container = (await buildah.run('from', 'scratch')).trim();
  for (const files of [debian, node]) await buildah.run('add', '--quiet', container, files, '/');
  await buildah.run('config', '--env', `PATH=${PATH}`, container);
  await buildah.run('commit', '--quiet', '--rm', container, name);
  for (const files of [debian, node]) await rm(files, { recursive: true });
  return name;
}

async function copyNode(target: string): Promise<void> {
  const node = realpathSync(process.execPath);
  const npm = join(dirname(dirname(node)), 'lib/node_modules/npm');
  if (!existsSync(npm))
    throw new CheckFailure(
      `There is no npm in ${npm}, which the base image is made from. Install Node with npm, then run the check again.`,
    );
  await mkdir(join(target, 'usr/local/lib/node_modules'), { recursive: true });
  await cp(node, join(target, 'usr/local/bin/node'));
  await cp(npm, join(target, 'usr/local/lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(target, 'usr/local/bin/npm'));
}
