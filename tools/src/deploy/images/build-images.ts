import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure, runOrFail } from '../deploy-check.js';
import type { ImageConfig, MountedImage } from './container.js';
import { IMAGES } from './image-contents.js';

/** Debian release of the default base image. */
const SUITE = 'bookworm';
/** Libraries that a build of Node may be linked with. */
const PACKAGES = ['libatomic1', 'libstdc++6'];
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Stands in for node:24-bookworm-slim where no image registry can be reached. */
const BASE_IMAGE = `localhost/node-${SUITE}:${process.versions.node}`;
/** Kept between runs, so that an unchanged package-lock.json installs nothing. */
const DEPENDENCIES_IMAGE = 'localhost/settlement-bus-bridge-dependencies:latest';

/** Arguments of the images of the check, which become labels. */
export const CHECKED = {
  VERSION: 'check',
  REVISION: 'checked-revision',
  SOURCE: 'https://example.com/checked-source',
} as const;

/** Bytes that the largest image may add to its base. */
const MAX_ADDED_BYTES = 120_000_000;

interface ImageDescription {
  /** JSON of the image manifest. */
  readonly Manifest: string;
  readonly Docker: { readonly config: ImageConfig };
}

/** Buildah with a storage folder of its own. */
export class Buildah {
  constructor(private readonly storage: string) {}

  /** Builds the image of every app from the Dockerfile. The build stages are shared. */
  async buildImages(workFolder: string): Promise<void> {
    await this.run('rm', '--all');
    if (!(await this.listImages()).includes(BASE_IMAGE)) await this.makeBaseImage(workFolder);
    const authorities = process.env['NODE_EXTRA_CA_CERTS'];
    const build = (...args: readonly string[]): Promise<string> =>
      this.run(
        ...['bud', '--quiet', '--layers', '--isolation', 'chroot', '--format', 'docker'],
        ...Object.entries({ BASE: BASE_IMAGE, ...CHECKED }).flatMap(([name, value]) => [
          '--build-arg',
          `${name}=${value}`,
        ]),
        // npm in the container trusts the same authorities as this machine.
        ...(authorities !== undefined && existsSync(authorities)
          ? ['--secret', `id=ca,src=${authorities}`]
          : []),
        ...args,
        REPOSITORY_ROOT,
      );
    await build('--target', 'dependencies', '--tag', DEPENDENCIES_IMAGE);
    for (const app of Object.keys(IMAGES)) await build('--build-arg', `APP=${app}`, '--tag', imageName(app));
  }

  /** Mounts the files of an image. @throws CheckFailure when it is too large */
  async mount(app: string): Promise<MountedImage> {
    const { Manifest, Docker } = await this.inspect(imageName(app));
    const added = sizeOf(Manifest) - sizeOf((await this.inspect(BASE_IMAGE)).Manifest);
    if (added > MAX_ADDED_BYTES)
      throw new CheckFailure(
        `The image of ${app} adds ${added} bytes to its base, more than ${MAX_ADDED_BYTES}.`,
      );
    const container = (await this.run('from', '--pull-never', imageName(app))).trim();
    return { root: (await this.run('mount', container)).trim(), config: Docker.config };
  }

  /** Removes containers, and every image that later runs do not use. */
  async clean(): Promise<void> {
    await this.run('rm', '--all');
    const kept = [BASE_IMAGE, DEPENDENCIES_IMAGE, ''];
    const unused = (await this.listImages()).filter(
      (name) => !kept.includes(name) && !name.startsWith('<none>'),
    );
    if (unused.length > 0) await this.run('rmi', ...unused);
    await this.run('rmi', '--prune');
  }

  /** From Debian packages and the Node of this machine. */
  private async makeBaseImage(workFolder: string): Promise<void> {
    const [debian, node] = [join(workFolder, 'debian.tar'), join(workFolder, 'node')];
    const unused = ['doc', 'locale', 'man'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    await runOrFail('mmdebstrap', [
      ...['--variant=minbase', `--include=${PACKAGES.join(',')}`, ...unused],
      ...[SUITE, debian, 'http://deb.debian.org/debian'],
    ]);
    await copyNode(node);
    const container = (await this.run('from', 'scratch')).trim();
    for (const files of [debian, node]) await this.run('add', '--quiet', container, files, '/');
    await this.run('config', '--env', `PATH=${PATH}`, container);
    await this.run('commit', '--quiet', '--rm', container, BASE_IMAGE);
    for (const files of [debian, node]) await rm(files, { recursive: true });
  }

  private async inspect(image: string): Promise<ImageDescription> {
    return JSON.parse(await this.run('inspect', '--type', 'image', image)) as ImageDescription;
  }

  private async listImages(): Promise<string[]> {
    return (await this.run('images', '--format', '{{.Name}}:{{.Tag}}')).split('\n');
  }

  /** @returns the standard output */
  private async run(...args: readonly string[]): Promise<string> {
    const folders = ['--root', this.storage, '--runroot', `${this.storage}.run`];
    const { ok, output, standardOutput } = await runCommand('buildah', [...folders, ...args]);
    if (!ok) throw new CheckFailure(`buildah ${args.join(' ')} failed:\n${output}`);
    return standardOutput;
  }
}

function imageName(app: string): string {
  return `localhost/settlement-bus-bridge/${app}:${CHECKED.VERSION}`;
}

function sizeOf(manifest: string): number {
  const { layers } = JSON.parse(manifest) as { readonly layers: readonly { readonly size: number }[] };
  return layers.reduce((total, { size }) => total + size, 0);
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
