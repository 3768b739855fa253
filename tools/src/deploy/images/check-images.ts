import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CheckFailure } from '../check-failure.js';
import { debianProgram, type Program } from '../../programs/required-programs.js';

/** mmdebstrap verifies the packages of Debian with it, also on Ubuntu. */
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

export const IMAGE_PROGRAMS: readonly Program[] = [
  ...['buildah', 'mmdebstrap', 'gpg'].map((name) => debianProgram(name)),
  {
    name: "Debian's archive keys",
    aptPackage: 'debian-archive-keyring',
    find: () => (existsSync(DEBIAN_KEYRING) ? DEBIAN_KEYRING : undefined),
  },
];

/** Several times the duration of a check without a cache. Everything in the namespaces ends with it. */
const TIMEOUT_MS = 30 * 60_000;

const CHECK_PROCESS = fileURLToPath(new URL('./check-process.js', import.meta.url));

export interface ImageCheckOptions {
  readonly print: (line: string) => void;
  /** Keeps the base image and installed packages between runs. */
  readonly cacheFolder: string;
}

/**
 * Builds the image of every app and starts the whole system from the images, without a container engine.
 * All mounts and processes are in namespaces of one process, so they end with it.
 * @throws CheckFailure
 */
export async function checkImages({ print, cacheFolder }: ImageCheckOptions): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new CheckFailure('The image check mounts file systems. Run it as root on Linux.');
  const storage = join(cacheFolder, 'images');
  mkdirSync(storage, { recursive: true });
  const workFolder = mkdtempSync(join(tmpdir(), 'image-check-'));
  try {
    await runInNamespaces(
      [CHECK_PROCESS, storage, workFolder],
      { ...process.env, TMPDIR: workFolder },
      print,
    );
  } finally {
    rmSync(workFolder, { recursive: true, force: true });
  }
}

async function runInNamespaces(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<void> {
  const child = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child', process.execPath, ...args],
    {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    },
  );
  let failure = '';
  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', print);
  child.stderr?.on('data', (chunk: Buffer) => (failure += chunk.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  if (code !== 0)
    throw new CheckFailure(
      failure.trim() ||
        `The image check ended with ${code ?? signal}. It may take ${TIMEOUT_MS / 60_000} minutes.`,
    );
}
