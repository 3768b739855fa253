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
import { RootRefusedError } from './errors.js';

/** The user that the server's programs run as, because PostgreSQL refuses to run as root. */
export interface RunAs {
  /** Program and arguments that start `program` with `args` as this user. */
  command(program: string, args: readonly string[]): [program: string, args: string[]];
  /** Makes this user the owner of a folder and its contents. */
  giveOwnership(folder: string): void;
  /** The programs' folder, or a copy of it that this user can access. */
  accessiblePrograms(folder: string): string;
}

/** The user `nobody` on Linux. */
const UNPRIVILEGED_USER = 65_534;

const asSelf: RunAs = {
  command: (program, args) => [program, [...args]],
  giveOwnership: () => undefined,
  accessiblePrograms: (folder) => folder,
};

/** A user namespace in which root has another user id. The files still belong to root, so no other user can read them. */
const inUserNamespace: RunAs = {
  command: (program, args) => [
    'unshare',
    ['--user', '--map-user=1000', '--map-group=1000', '--', program, ...args],
  ],
  giveOwnership: (folder) => changeOwner(0, folder),
  accessiblePrograms: (folder) => folder,
};

/**
 * Runs as `nobody` with a capability to enter folders of root, because the repository or the data may be in one.
 * @param capability containers often have only `dac_override`, which allows more
 */
const asUnprivilegedUser = (capability: 'dac_read_search' | 'dac_override'): RunAs => ({
  command: (program, args) => [
    'setpriv',
    [
      `--reuid=${UNPRIVILEGED_USER}`,
      `--regid=${UNPRIVILEGED_USER}`,
      '--clear-groups',
      `--inh-caps=+${capability}`,
      `--ambient-caps=+${capability}`,
      '--',
      program,
      ...args,
    ],
  ],
  giveOwnership: (folder) => changeOwner(UNPRIVILEGED_USER, folder),
  accessiblePrograms: copyIfInaccessible,
});

const ROOT_ALTERNATIVES: readonly RunAs[] = [
  inUserNamespace,
  asUnprivilegedUser('dac_read_search'),
  asUnprivilegedUser('dac_override'),
];

/**
 * The first user that can run the program and read the file. A user namespace fails when other users may not enter a parent folder.
 * @throws RootRefusedError
 */
export function chooseUser(program: string, file: string): RunAs {
  if (process.getuid?.() !== 0) return asSelf;
  const chosen = ROOT_ALTERNATIVES.find((user) =>
    [user.command(program, ['--version']), user.command('cat', [file])].every(
      ([command, args]) => spawnSync(command, args, { stdio: 'ignore' }).status === 0,
    ),
  );
  if (chosen === undefined) throw new RootRefusedError();
  return chosen;
}

/** Only root can write here, so no other user can replace a copy. */
export const COPIES_FOLDER = '/var/cache/settlement-bus-bridge';

/** Copies programs that other users cannot access, once. PostgreSQL checks them with access(2), which ignores capabilities. */
function copyIfInaccessible(folder: string): string {
  if (isAccessibleToOthers(folder)) return folder;
  const installation = dirname(folder);
  const { size, mtimeMs } = statSync(join(folder, 'postgres'));
  const key = createHash('sha256').update(`${installation} ${size} ${mtimeMs}`).digest('hex').slice(0, 16);
  const copy = join(COPIES_FOLDER, `postgres-${key}`);
  if (!existsSync(copy)) {
    mkdirSync(COPIES_FOLDER, { recursive: true, mode: 0o755 });
    const temporary = mkdtempSync(`${copy}-`);
    try {
      cpSync(installation, temporary, { recursive: true, dereference: true });
      spawnSync('chmod', ['-R', 'a+rX', temporary]);
      renameSync(temporary, copy);
    } catch (error) {
      // Another process may have made the copy first.
      if (!existsSync(copy)) throw error;
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  }
  return join(copy, basename(folder));
}

function isAccessibleToOthers(path: string): boolean {
  const isExecutable = (statSync(path).mode & 0o001) !== 0;
  return isExecutable && (dirname(path) === path || isAccessibleToOthers(dirname(path)));
}

function changeOwner(uid: number, path: string): void {
  try {
    const stat = lstatSync(path);
    if (stat.uid !== uid) lchownSync(path, uid, uid);
    if (!stat.isDirectory()) return;
    for (const name of readdirSync(path)) changeOwner(uid, join(path, name));
  } catch (error) {
    // Another process may start a server at the same time, which removes files.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
