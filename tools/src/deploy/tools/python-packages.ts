import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianProgram, PIP } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { requireProgram, runOrFail } from '../deploy-check.js';
import { provideTool } from './tool-cache.js';

/** Every package that the Python kit, its checks and its examples need, pinned with its digests. */
const REQUIREMENTS = join(REPOSITORY_ROOT, 'tools/python/python-kit.txt');

/** What builds and checks the kit. */
const PROGRAMS = ['hatchling', 'mypy', 'pytest', 'ruff', 'types-jsonschema'];

const PYTHON = debianProgram('python3');
const INSTALL_TIMEOUT_MS = 300_000;

export interface PythonPackages {
  /** Path of the interpreter. */
  readonly python: string;
  /** Folder with a wheel of each pinned package. */
  readonly wheels: string;
  /** Folder in which the programs are installed. */
  readonly programs: string;
}

/** Downloads the packages unless they are in the cache. @throws CheckFailure */
export async function providePythonPackages(): Promise<PythonPackages> {
  requireProgram(PIP);
  const python = requireProgram(PYTHON);
  const version = await runOrFail(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const folder = await provideTool({
    name: 'python-kit',
    // Wheels with compiled code are those of one version of Python.
    version: `${version.trim()}-${digest(readFileSync(REQUIREMENTS, 'utf8') + PROGRAMS.join())}`,
    path: '.',
    build: async (target) => {
      const wheels = join(target, 'wheels');
      await runPip(python, [
        ...['download', '--no-deps', '--only-binary=:all:', '--require-hashes'],
        ...['--dest', wheels, '--requirement', REQUIREMENTS],
      ]);
      await installOffline(python, wheels, PROGRAMS, join(target, 'programs'));
    },
  });
  return { python, wheels: join(folder, 'wheels'), programs: join(folder, 'programs') };
}

/** Installs packages and their dependencies from a folder of wheels, without a registry. */
export async function installOffline(
  python: string,
  wheels: string,
  packages: readonly string[],
  target: string,
): Promise<void> {
  await runPip(python, [
    ...['install', '--no-index', '--find-links', wheels, '--only-binary=:all:', '--no-compile'],
    ...['--target', target, ...packages],
  ]);
}

async function runPip(python: string, args: readonly string[]): Promise<void> {
  await runOrFail(python, ['-m', 'pip', '--quiet', '--disable-pip-version-check', ...args], {
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
