import { renderTable } from '@ssb/platform';
import { existsSync } from 'node:fs';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure } from '../check-failure.js';
import type { Buildah } from './buildah.js';
import { IMAGES } from './image-contents.js';

/** Kept between runs, so that an unchanged package-lock.json installs nothing. */
export const DEPENDENCIES_IMAGE = 'localhost/settlement-bus-bridge-dependencies:latest';

/** Arguments of the images of the check, which become labels. */
export const CHECKED = {
  VERSION: 'check',
  REVISION: 'checked-revision',
  SOURCE: 'https://example.com/checked-source',
} as const;

export function imageName(app: string): string {
  return `localhost/settlement-bus-bridge/${app}:${CHECKED.VERSION}`;
}

/** Builds the image of every app from the Dockerfile. The build stages are shared. */
export async function buildImages(
  buildah: Buildah,
  base: string,
  report: (step: string) => void,
): Promise<void> {
  const bundle = process.env['NODE_EXTRA_CA_CERTS'];
  const common = [
    ...['bud', '--quiet', '--layers', '--isolation', 'chroot', '--format', 'docker'],
    ...Object.entries({ BASE: base, ...CHECKED }).flatMap(([name, value]) => [
      '--build-arg',
      `${name}=${value}`,
    ]),
    // npm in the container trusts the same authorities as this machine.
    ...(bundle !== undefined && existsSync(bundle) ? ['--secret', `id=ca,src=${bundle}`] : []),
  ];
  await buildah.run(...common, '--target', 'dependencies', '--tag', DEPENDENCIES_IMAGE, REPOSITORY_ROOT);
  report('packages installed');
  await buildah.run(...common, '--target', 'build', REPOSITORY_ROOT);
  report('apps compiled');
  for (const app of Object.keys(IMAGES))
    await buildah.run(...common, '--build-arg', `APP=${app}`, '--tag', imageName(app), REPOSITORY_ROOT);
}

/** Bytes that the largest image may add to its base. */
const MAX_ADDED_BYTES = 120_000_000;

/** The layers above the base, in the order of the Dockerfile. The command line has one for /usr/local/bin. */
const LAYERS = ['packages', 'app', '/data', '/usr/local/bin'];

/** Prints the size of each layer. @throws {CheckFailure} when an image is too large */
export async function reportSizes(
  buildah: Buildah,
  base: string,
  print: (line: string) => void,
): Promise<void> {
  const baseLayers = await readLayerSizes(buildah, base);
  const added = new Map<string, readonly number[]>();
  for (const app of Object.keys(IMAGES))
    added.set(app, (await readLayerSizes(buildah, imageName(app))).slice(baseLayers.length));
  const rows = [...added].map(([app, sizes]) => [
    app,
    ...LAYERS.map((_, index) => toMegabytes(sizes[index] ?? 0)),
    toMegabytes(sum(sizes)),
  ]);
  print(renderTable(['MB above the base', ...LAYERS, 'total'], rows));
  print(`The base has ${toMegabytes(sum(baseLayers))} MB.`);
  const large = [...added].filter(([, sizes]) => sum(sizes) > MAX_ADDED_BYTES).map(([app]) => app);
  if (large.length > 0)
    throw new CheckFailure(
      `More than ${MAX_ADDED_BYTES / 1e6} MB are added to the base by: ${large.join(', ')}. The table above shows which layer.`,
    );
}

async function readLayerSizes(buildah: Buildah, image: string): Promise<number[]> {
  const { layers } = JSON.parse((await buildah.inspect(image)).Manifest) as {
    readonly layers: readonly { readonly size: number }[];
  };
  return layers.map(({ size }) => size);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function toMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
