import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimFolder, FolderInUseError } from './folder-lock.js';

describe('claimFolder', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'claim-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it.each([
    ['an ordinary path', 'database'],
    ['a path too long for a socket', 'x'.repeat(120)],
  ])('lets one have the folder at a time: %s', async (_, name) => {
    const folder = join(home, name);
    const release = await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(FolderInUseError);
    await release();
    const again = await claimFolder(folder);
    await again();
  });

  it('takes over what a killed process left behind', async () => {
    const folder = join(home, 'database');
    const script = `require('net').createServer().listen(${JSON.stringify(`${folder}.in-use`)}, () => console.log('up'))`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    await expect(claimFolder(folder)).rejects.toThrow(FolderInUseError);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    expect(existsSync(`${folder}.in-use`)).toBe(true);
    const release = await claimFolder(folder);
    await release();
  });
});
