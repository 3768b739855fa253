import { standardError, standardOutput, withFolderLock } from '@ssb/platform';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Buildah } from './build-images.js';
import { checkImage } from './check-image.js';
import type { MountedImage } from './container.js';
import { IMAGES } from './image-contents.js';
import { SystemCheck } from './system-check.js';

/** Another check of this user may use the storage. */
const LOCK_TIMEOUT_MS = 5 * 60_000;
/** Process 1 of the namespaces that the check creates. Argument: the storage folder of the images. */
const [storageFolder = ''] = process.argv.slice(2);
const workFolder = mkdtempSync(join(tmpdir(), 'image-check-'));
process.env['TMPDIR'] = workFolder;
process.on('exit', () => rmSync(workFolder, { recursive: true, force: true }));
// Process 1 gets no signal for which it has no listener.
process.once('SIGTERM', () => process.exit(1));

try {
  await withFolderLock(storageFolder, LOCK_TIMEOUT_MS, async () => {
    const buildah = new Buildah(join(storageFolder, 'storage'));
    try {
      await checkAll(buildah);
    } finally {
      await buildah.clean();
    }
  });
  process.exit(0);
} catch (error) {
  standardError.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function checkAll(buildah: Buildah): Promise<void> {
  await buildah.buildImages(workFolder);
  const images = new Map<string, MountedImage>();
  for (const app of Object.keys(IMAGES)) {
    const image = await buildah.mount(app);
    await checkImage(app, image);
    images.set(app, image);
  }
  const events = await new SystemCheck(images, workFolder).run();
  standardOutput.write(
    `${images.size} images; ${events} events went from the simulator to the webhook, each app from its image\n`,
  );
}
