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
  const { python, folder } = await provide(
    'python-kit',
    REQUIREMENTS,
    PROGRAMS,
    async (target, interpreter) => {
      const wheels = join(target, 'wheels');
      await runPip(interpreter, [
        ...['download', '--no-deps', '--only-binary=:all:', '--require-hashes'],
        ...['--dest', wheels, '--requirement', REQUIREMENTS],
      ]);
      await installOffline(interpreter, wheels, PROGRAMS, join(target, 'programs'));
    },
  );
  return { python, wheels: join(folder, 'wheels'), programs: join(folder, 'programs') };
}

/** The fuzzer of OpenAPI documents and what it needs, pinned with their digests. */
const SCHEMATHESIS = join(REPOSITORY_ROOT, 'tools/python/schemathesis.txt');

/** @returns the interpreter, and the folder in which Schemathesis is installed @throws CheckFailure */
export function provideSchemathesis(): Promise<InstalledPackages> {
  return provide('schemathesis', SCHEMATHESIS, [], (target, python) =>
    runPip(python, [
      ...['install', '--no-deps', '--only-binary=:all:', '--require-hashes'],
      ...['--target', target, '--requirement', SCHEMATHESIS],
    ]),
  );
}

interface InstalledPackages {
  /** Path of the interpreter. */
  readonly python: string;
  readonly folder: string;
}

/** Wheels with compiled code are those of one version of Python. */
async function provide(
  name: string,
  requirements: string,
  programs: readonly string[],
  build: (folder: string, python: string) => Promise<void>,
): Promise<InstalledPackages> {
  requireProgram(PIP);
  const python = requireProgram(PYTHON);
  const version = await runOrFail(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const content = readFileSync(requirements, 'utf8') + programs.join();
  const folder = await provideTool({
    name,
    version: `${version.trim()}-${digest(content)}`,
    path: '.',
    build: (target) => build(target, python),
  });
  return { python, folder };
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
