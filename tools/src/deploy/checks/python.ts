import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { type DeployCheck, runAll, runOrFail } from '../deploy-check.js';
import { installOffline, type PythonPackages, providePythonPackages } from '../tools/python-packages.js';
import { CACHE_FOLDER } from '../tools/tool-cache.js';

const KIT_FOLDER = join(REPOSITORY_ROOT, 'clients/python');
const EXAMPLES_FOLDER = join(REPOSITORY_ROOT, 'examples/python');
/** Without it, ruff reads the configuration next to a file. */
const CONFIGURED = ['--config', join(KIT_FOLDER, 'pyproject.toml')];
const TIMEOUT_MS = 180_000;

export const PYTHON_KIT: DeployCheck = {
  name: 'python-kit',
  description:
    'clients/python: the wheel, installed offline into an empty folder, its tests, types and style',
  run: async () => {
    const packages = await providePythonPackages();
    const folder = mkdtempSync(join(tmpdir(), 'python-kit-'));
    try {
      await installKit(packages, folder);
      return await checkKit(packages, folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** Builds the wheel and installs it, with further packages of the pinned ones, into an empty folder. */
export async function installKit(
  packages: PythonPackages,
  folder: string,
  further: readonly string[] = [],
): Promise<void> {
  const { python, wheels } = packages;
  const built = mkdtempSync(join(tmpdir(), 'python-wheel-'));
  try {
    const args = ['-S', '-m', 'hatchling', 'build', '--target', 'wheel', '--directory', built];
    await runOrFail(python, args, { cwd: KIT_FOLDER, environment: pythonPath(packages.programs) });
    const names = readdirSync(built).map((name) => join(built, name));
    await installOffline(python, wheels, [...names, ...further], folder);
  } finally {
    rmSync(built, { recursive: true });
  }
}

/** Programs run with `-S`: without the packages that this machine happens to have. */
export function pythonPath(...folders: readonly string[]): NodeJS.ProcessEnv {
  return { PYTHONPATH: folders.join(delimiter), PYTHONDONTWRITEBYTECODE: '1' };
}

async function checkKit({ python, programs }: PythonPackages, folder: string): Promise<string> {
  const options = {
    cwd: KIT_FOLDER,
    environment: { ...pythonPath(folder, programs), RUFF_NO_CACHE: 'true' },
    timeoutMs: TIMEOUT_MS,
  };
  const ruff = join(programs, 'bin', 'ruff');
  const cache = join(CACHE_FOLDER, 'mypy');
  let tests = '';
  await runAll(
    [
      async () => {
        // The option replaces the folder of the sources: the tests import the installed package.
        const args = ['-S', '-m', 'pytest', '-p', 'no:cacheprovider', '--override-ini', 'pythonpath='];
        tests = /^\d+ passed/m.exec(await runOrFail(python, args, options))?.[0] ?? 'passed';
      },
      () => runOrFail(python, ['-S', '-m', 'mypy', '--cache-dir', cache], options),
      () => runOrFail(ruff, ['check', '.'], options),
      () => runOrFail(ruff, ['format', '--check', '.'], options),
      // Examples print, and their functions have names enough.
      () => runOrFail(ruff, ['check', ...CONFIGURED, '--ignore', 'D103,T201', EXAMPLES_FOLDER], options),
      () => runOrFail(ruff, ['format', '--check', ...CONFIGURED, EXAMPLES_FOLDER], options),
    ],
    (step) => step(),
  );
  return tests;
}
