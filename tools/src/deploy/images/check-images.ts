import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianProgram, type Program } from '../../programs/required-programs.js';
import { CheckFailure, type DeployCheck, requireProgram, runOrFail } from '../deploy-check.js';
import { CACHE_FOLDER } from '../tools/tool-cache.js';

/** mmdebstrap verifies the packages of Debian with it, also on Ubuntu. */
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

const PROGRAMS: readonly Program[] = [
  ...['buildah', 'mmdebstrap', 'gpg'].map((name) => debianProgram(name)),
  {
    name: "Debian's archive keys",
    aptPackage: 'debian-archive-keyring',
    find: () => (existsSync(DEBIAN_KEYRING) ? DEBIAN_KEYRING : undefined),
  },
];

const CHECK_PROCESS = fileURLToPath(new URL('./check-process.js', import.meta.url));

/**
 * Builds the image of every app and starts the whole system from the images, without a container engine.
 * All mounts and processes are in namespaces of one process, so they end with it.
 */
export const IMAGES: DeployCheck = {
  name: 'images',
  description: 'the image of every app, built by buildah; the demo market runs from the images',
  run: async () => {
    if (process.getuid?.() !== 0)
      throw new CheckFailure('The image check mounts file systems. Run it as root on Linux.');
    for (const program of PROGRAMS) requireProgram(program);
    // Keeps the base image and installed packages between runs.
    const storage = join(CACHE_FOLDER, 'images');
    mkdirSync(storage, { recursive: true });
    const namespaces = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
    return runOrFail('unshare', [...namespaces, process.execPath, CHECK_PROCESS, storage]);
  },
};
