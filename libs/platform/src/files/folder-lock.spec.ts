import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder, FolderInUseError } from './folder-lock.js';

describe('lockFolder', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'claim-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it.each([
    ['an ordinary path', 'database'],
    ['a path too long for a socket', 'x'.repeat(120)],
  ])('locks the folder for one process at a time: %s', async (_, name) => {
    const folder = join(parent, name);
    const unlock = await lockFolder(folder);
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    await unlock();
    const unlockAgain = await lockFolder(folder);
    await unlockAgain();
  });

  it('takes over the lock of a killed process', async () => {
    const folder = join(parent, 'database');
    const script = `require('net').createServer().listen(${JSON.stringify(`${folder}.in-use`)}, () => console.log('up'))`;
    const otherProcess = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(otherProcess.stdout, 'data');
    await expect(lockFolder(folder)).rejects.toThrow(FolderInUseError);
    otherProcess.kill('SIGKILL');
    await once(otherProcess, 'exit');
    expect(existsSync(`${folder}.in-use`)).toBe(true);
    const unlock = await lockFolder(folder);
    await unlock();
  });
});
