import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfiguredFileError, readConfiguredFile, readWithin } from './configured-file.js';

let folder: string;
const pathOf = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'configured-file-'));
  writeFileSync(pathOf('file'), 'content');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a file is read, also by a symbolic link', async () => {
  symlinkSync(pathOf('file'), pathOf('link'));
  expect(String(await readConfiguredFile(pathOf('link')))).toBe('content');
});

it('the error of a missing file and of a folder names the path', async () => {
  for (const [path, code] of [
    [pathOf('missing'), 'ENOENT'],
    [folder, 'EISDIR'],
  ] as const)
    await expect(readConfiguredFile(path)).rejects.toMatchObject({ path, code });
});

it('a pipe without a writer, and a device, are refused at once', async () => {
  execFileSync('mkfifo', [pathOf('pipe')]);
  for (const path of [pathOf('pipe'), '/dev/null'])
    await expect(readConfiguredFile(path)).rejects.toEqual(
      new ConfiguredFileError(path, 'is a pipe or a device, but a file is needed.'),
    );
});

it('a file that is not read in time is not read a second time meanwhile', async () => {
  let complete = (_: Buffer): void => undefined;
  const read = jest.fn(() => new Promise<Buffer>((resolve) => (complete = resolve)));
  const path = pathOf('file');
  const failure = new ConfiguredFileError(path, 'was not read in time; check its file system.');
  await expect(readWithin(path, 5, read)).rejects.toEqual(failure);
  await expect(readWithin(path, 60_000, read)).rejects.toEqual(failure);
  expect(read).toHaveBeenCalledTimes(1);
  complete(Buffer.from('late'));
  await Promise.resolve();
  expect(String(await readConfiguredFile(path))).toBe('content');
});
