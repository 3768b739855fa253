import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo } from './go-tool.js';
import { provideTool } from './tool-cache.js';

const folder = mkdtempSync(join(tmpdir(), 'tool-cache-'));
const cacheFolder = join(folder, 'tools');

afterAll(() => rmSync(folder, { recursive: true }));

it('builds a tool once, and leaves nothing behind after a failed build', async () => {
  const failures = [new Error('the disk is full')];
  let builds = 0;
  const tool = {
    name: 'tool',
    version: '1',
    path: 'program',
    build: async (target: string) => {
      builds += 1;
      writeFileSync(join(target, 'program'), '');
      for (const failure of failures.splice(0)) throw failure;
    },
  };
  await expect(provideTool({ ...tool, name: 'broken' }, cacheFolder)).rejects.toThrow(
    'broken could not be built. the disk is full',
  );
  expect(readdirSync(cacheFolder)).toEqual([]);
  const paths = await Promise.all([provideTool(tool, cacheFolder), provideTool(tool, cacheFolder)]);
  expect(new Set(paths)).toEqual(new Set([join(cacheFolder, 'tool-1', 'program')]));
  expect(builds).toBe(2);
});

it.each([
  ['is not installed', join(folder, 'absent'), 'ENOENT'],
  ['is too old', writeGo('go version go1.19.8 linux/amd64'), 'go1.19.8'],
])('says which version is required and where to get it when Go %s', async (_, program, found) => {
  const error = await findGo(folder, program).catch(String);
  for (const part of ['Go 1.26 or later is required', found, 'https://go.dev/dl'])
    expect(error).toContain(part);
});

it('accepts a newer version of Go', async () => {
  const program = writeGo('go version go1.30 linux/amd64');
  expect(await findGo(folder, program)).toBe(program);
});

function writeGo(version: string): string {
  const program = join(folder, `go-${version.replaceAll(/\W/g, '-')}`);
  writeFileSync(program, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(program, 0o755);
  return program;
}
