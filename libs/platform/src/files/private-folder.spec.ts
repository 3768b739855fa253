import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../logging/logger.js';
import { writeFileAtomically, writeFileDurably } from './atomic-write.js';
import { ensureDataFolder, ensurePrivateFolder, findOpenFolder } from './private-folder.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-folder-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const modeOf = (...names: string[]): number => statSync(join(folder, ...names)).mode & 0o777;

it('folders and files are for their owner alone, also when the umask takes no permission away', () => {
  const module = JSON.stringify(new URL('atomic-write.js', import.meta.url).href);
  const path = JSON.stringify(join(folder, 'a', 'b', 'file'));
  const script = `await (await import(${module})).writeFileAtomically(${path}, 'content')`;
  // A worker thread cannot set the umask.
  const { status } = spawnSync('sh', [
    '-c',
    'umask 0; exec "$0" --input-type=module -e "$1"',
    process.execPath,
    script,
  ]);
  expect(status).toBe(0);
  expect([modeOf('a'), modeOf('a', 'b'), modeOf('a', 'b', 'file')]).toEqual([0o700, 0o700, 0o600]);
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['file']);
  expect(ensurePrivateFolder(join(folder, 'a', 'b', 'c'))).toBeUndefined();
  expect(modeOf('a', 'b', 'c')).toBe(0o700);
});

it('a durable file is synchronised with its new folders and the parent of the first one', async () => {
  const probe = await open(folder, 'r');
  const prototype = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const isFolder: Promise<boolean>[] = [];
  const sync = Reflect.get(prototype, 'sync');
  const spy = jest.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    isFolder.push(this.stat().then((stat) => stat.isDirectory()));
    await sync.call(this);
  });
  await writeFileDurably(join(folder, 'a', 'b', 'file'), 'one');
  expect(await Promise.all(isFolder.splice(0))).toEqual([false, true, true, true]);
  await writeFileDurably(join(folder, 'a', 'b', 'file'), 'two');
  expect(await Promise.all(isFolder)).toEqual([false, true]);
  spy.mockRestore();
});

it('a file of another mode is replaced by one for its owner alone', async () => {
  const path = join(folder, 'file');
  await writeFileAtomically(path, 'one', 0o644);
  expect(modeOf('file')).toBe(0o644);
  await writeFileAtomically(path, 'two');
  expect(modeOf('file')).toBe(0o600);
});

it.each([0o755, 0o710, 0o701, 0o750])('reports a folder with mode %o, and keeps its mode', (mode) => {
  const path = join(folder, 'open');
  mkdirSync(path);
  chmodSync(path, mode);
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  ensureDataFolder(path, createLogger({ name: 'app', level: 'warn', format: 'json', stream }));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      msg: 'data folder open to other users',
      path,
      mode: `0${mode.toString(8)}`,
    }),
  ]);
  expect(modeOf('open')).toBe(mode);
});

it('reports neither a private folder, nor a missing one, nor a file', async () => {
  await writeFileAtomically(join(folder, 'file'), '', 0o644);
  for (const path of [folder, join(folder, 'missing'), join(folder, 'file')])
    expect(findOpenFolder(path)).toBeUndefined();
});
