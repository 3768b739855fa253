import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** How the server's programs are started, because PostgreSQL refuses to run as root. */
export interface RunAs {
  /** Program and arguments that start `program` with `args`. */
  command(program: string, args: readonly string[]): [program: string, args: string[]];
  /** Gives a folder and all that is in it to the user the server runs as. */
  own(folder: string): void;
  /** The programs' folder, or a copy of it that this user may run. */
  programs(folder: string): string;
}

/** Root is needed to start the server, but the machine offers no way to drop it. */
export class RootRefusedError extends Error {
  override readonly name = 'RootRefusedError';

  constructor() {
    super(
      'PostgreSQL does not run as root, and neither unshare nor setpriv (Debian package util-linux) works here. ' +
        'Run this as another user, or set DATABASE_URL to a server that runs.',
    );
  }
}

/** `nobody`. */
const OTHER_USER = 65_534;

const asSelf: RunAs = {
  command: (program, args) => [program, [...args]],
  own: () => undefined,
  programs: (folder) => folder,
};

/** A namespace in which root has another user id. Files stay root's, so no other user can read them. */
const inUserNamespace: RunAs = {
  command: (program, args) => [
    'unshare',
    ['--user', '--map-user=1000', '--map-group=1000', '--', program, ...args],
  ],
  own: (folder) => giveTo(0, folder),
  programs: (folder) => folder,
};

/**
 * Another user that may still pass folders which only root can read: the clone or the data may be in one.
 * @param capability that lets it; containers often have only the wider one
 */
const asOtherUser = (capability: 'dac_read_search' | 'dac_override'): RunAs => ({
  command: (program, args) => [
    'setpriv',
    [
      `--reuid=${OTHER_USER}`,
      `--regid=${OTHER_USER}`,
      '--clear-groups',
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      '--',
      program,
      ...args,
    ],
  ],
  own: (folder) => giveTo(OTHER_USER, folder),
  programs: programsForOthers,
});

const WAYS: readonly RunAs[] = [inUserNamespace, asOtherUser('dac_read_search'), asOtherUser('dac_override')];

/**
 * The first way in which the program runs and can read the file. In a namespace it cannot where a folder above is another user's and
 * closed to all others.
 * @throws RootRefusedError
 */
export function runAs(program: string, file: string): RunAs {
  if (process.getuid?.() !== 0) return asSelf;
  const works = WAYS.find((way) =>
    [way.command(program, ['--version']), way.command('cat', [file])].every(
      ([tried, args]) => spawnSync(tried, args, { stdio: 'ignore' }).status === 0,
    ),
  );
  if (works === undefined) throw new RootRefusedError();
  return works;
}

/** Only root can write here, so a copy cannot be replaced by another user. */
const COPIES = '/var/cache/settlement-bus-bridge';

/**
 * PostgreSQL looks at its own programs with access(2), which ignores capabilities. Those below a folder that is closed to others are copied,
 * once.
 */
function programsForOthers(folder: string): string {
  if (othersMayPass(folder)) return folder;
  const installation = dirname(folder);
  const { size, mtimeMs } = statSync(join(folder, 'postgres'));
  const key = createHash('sha256').update(`${installation} ${size} ${mtimeMs}`).digest('hex').slice(0, 16);
  const copy = join(COPIES, `postgres-${key}`);
  if (!existsSync(copy)) {
    mkdirSync(COPIES, { recursive: true, mode: 0o755 });
    const fresh = mkdtempSync(`${copy}-`);
    try {
      cpSync(installation, fresh, { recursive: true, dereference: true });
      spawnSync('chmod', ['-R', 'a+rX', fresh]);
      renameSync(fresh, copy);
    } catch (error) {
      // Another starter was faster.
      if (!existsSync(copy)) throw error;
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return join(copy, basename(folder));
}

function othersMayPass(path: string): boolean {
  const passable = (statSync(path).mode & 0o001) !== 0;
  return passable && (dirname(path) === path || othersMayPass(dirname(path)));
}

function giveTo(uid: number, path: string): void {
  try {
    const stat = lstatSync(path);
    if (stat.uid !== uid) lchownSync(path, uid, uid);
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path)) giveTo(uid, join(path, name));
  } catch (error) {
    // A server that another process starts at the same time removes files.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
