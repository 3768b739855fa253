import { FolderInUseError, readSystemFile } from '@ssb/platform';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockData, removeStaleEntries } from './running-system.js';

const { TMPDIR } = process.env;

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  rmSync(parent, { recursive: true });
});

function useTemporaryFolder(name: string): void {
  process.env['TMPDIR'] = join(parent, name);
  mkdirSync(join(parent, name), { recursive: true });
}

it('a second start on the same data is refused from the beginning of the first, also with another temporary folder', async () => {
  // The socket of a long path is in the temporary folder.
  const data = join(parent, 'x'.repeat(120));
  useTemporaryFolder('one');
  const unlock = await lockData(data);
  expect(readdirSync(join(parent, 'one'))).toHaveLength(1);
  useTemporaryFolder('other');
  await expect(lockData(data)).rejects.toThrow(new FolderInUseError(data));
  await unlock();
  expect(readSystemFile(data)).toBeUndefined();
  await (
    await lockData(data)
  )();
});

it('only entries of systems that have ended are removed', async () => {
  const [systems, running, killed, unreadable] = ['systems', 'running', 'killed', 'unreadable'].map(
    (name) => {
      mkdirSync(join(parent, name));
      return join(parent, name);
    },
  ) as [string, string, string, string];
  const unlock = await lockData(running);
  writeFileSync(join(killed, 'busbridge.json'), JSON.stringify({ lockSocket: join(killed, 'start.in-use') }));
  writeFileSync(join(unreadable, 'busbridge.json'), '{');
  const folders = { running, killed, unreadable, gone: join(parent, 'gone'), unknown: systems };
  for (const [name, folder] of Object.entries(folders)) writeFileSync(join(systems, name), `${folder}\n`);
  await removeStaleEntries(systems);
  expect(readdirSync(systems).sort()).toEqual(['running', 'unknown', 'unreadable']);
  expect(existsSync(killed)).toBe(true);
  await unlock();
});
