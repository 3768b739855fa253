import { lockFolder, standardError, standardOutput } from '@ssb/platform';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBaseImage } from './base-image.js';
import { buildImages, DEPENDENCIES_IMAGE, imageName, reportSizes } from './build-images.js';
import { Buildah } from './buildah.js';
import { checkCommandLine, checkCommands, checkConfig } from './check-commands.js';
import { SystemCheck } from './check-system.js';
import type { MountedImage } from './container.js';
import { IMAGES } from './image-contents.js';

/** Process 1 of the namespaces that `checkImages` creates. Arguments: storage folder of the images, work folder. */
const [storageFolder = '', workFolder = ''] = process.argv.slice(2);
const started = Date.now();

// The parent has ended. Everything in the namespaces ends with this process.
process.once('disconnect', () => {
  rmSync(workFolder, { recursive: true, force: true });
  process.exit(1);
});

try {
  const unlock = await lockFolder(storageFolder);
  const buildah = new Buildah(join(storageFolder, 'storage'));
  await buildah.run('rm', '--all');
  const base = await ensureBaseImage(buildah, workFolder);
  try {
    await checkAll(buildah, base);
  } finally {
    await buildah.clean([base, DEPENDENCIES_IMAGE]);
    await unlock();
  }
  process.exit(0);
} catch (error) {
  standardError.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function checkAll(buildah: Buildah, base: string): Promise<void> {
  report(`base image ${base}`);
  await buildImages(buildah, base, report);
  report(`${Object.keys(IMAGES).length} images built`);
  await reportSizes(buildah, base, print);
  const images = await mountImages(buildah);
  for (const [app, image] of images) {
    checkConfig(app, image);
    await checkCommands(app, image);
    if (app === 'cli') await checkCommandLine(image);
  }
  report('configuration and commands of each image checked');
  await new SystemCheck(images, workFolder, print).run();
  report('images checked');
}

async function mountImages(buildah: Buildah): Promise<ReadonlyMap<string, MountedImage>> {
  const images = new Map<string, MountedImage>();
  for (const app of Object.keys(IMAGES)) {
    const container = (await buildah.run('from', '--pull-never', imageName(app))).trim();
    const root = (await buildah.run('mount', container)).trim();
    images.set(app, { root, config: (await buildah.inspect(imageName(app))).Docker.config });
  }
  return images;
}

function report(step: string): void {
  print(`${step}, ${Math.round((Date.now() - started) / 1000)} s`);
}

function print(text: string): void {
  standardOutput.write(`${text}\n`);
}
