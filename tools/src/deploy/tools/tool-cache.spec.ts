import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGo } from './go-tool.js';
import { type Tool, ToolCache } from './tool-cache.js';

const folder = mkdtempSync(join(tmpdir(), 'tool-cache-'));
const cacheFolder = join(folder, 'tools');

afterAll(() => rmSync(folder, { recursive: true }));

/** Every build writes its number. */
function countingTool(name: string): { tool: Tool; readonly builds: number } {
  const counter = { builds: 0 };
  const build = async (target: string): Promise<void> => {
    counter.builds += 1;
    writeFileSync(join(target, 'program'), String(counter.builds));
  };
  return Object.assign(counter, { tool: { name, version: '1', path: 'program', build } });
}

describe('ToolCache', () => {
  it('builds a tool once, also for later runs', async () => {
    const counted = countingTool('once');
    const first = new ToolCache(() => {}, cacheFolder);
    const paths = await Promise.all([first.provide(counted.tool), first.provide(counted.tool)]);
    paths.push(await new ToolCache(() => {}, cacheFolder).provide(counted.tool));
    expect(new Set(paths)).toEqual(new Set([join(cacheFolder, 'once-1', 'program')]));
    expect(counted.builds).toBe(1);
  });

  it('keeps one complete result when two processes build the same tool', async () => {
    const { tool } = countingTool('race');
    const caches = [1, 2].map(() => new ToolCache(() => {}, cacheFolder));
    const paths = await Promise.all(caches.map(async (cache) => cache.provide(tool)));
    expect(paths[0]).toBe(paths[1]);
    expect(['1', '2']).toContain(readFileSync(paths[0] ?? '', 'utf8'));
    expect(readdirSync(cacheFolder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('leaves nothing behind after a failed build, and builds again in the next run', async () => {
    const { tool } = countingTool('broken');
    const build = async (target: string): Promise<void> => {
      await tool.build(target);
      throw new Error('the disk is full');
    };
    const failed = new ToolCache(() => {}, cacheFolder).provide({ ...tool, build });
    await expect(failed).rejects.toThrow('broken could not be built. the disk is full');
    expect(
      readdirSync(cacheFolder).filter((name) => name.includes('broken') || name.startsWith('.')),
    ).toEqual([]);
    await new ToolCache(() => {}, cacheFolder).provide(tool);
    expect(readdirSync(cacheFolder)).toContain('broken-1');
  });
});

describe('findGo', () => {
  it.each([
    ['is not installed', join(folder, 'absent'), 'ENOENT'],
    ['is too old', writeGo('go version go1.19.8 linux/amd64'), 'go1.19.8'],
  ])('says which version is required and where to get it when Go %s', async (_, program, found) => {
    const error = await findGo(folder, program).catch(String);
    for (const part of ['Go 1.26 or later is required', found, 'https://go.dev/dl'])
      expect(error).toContain(part);
  });

  it('accepts a newer version', async () => {
    const program = writeGo('go version go1.30 linux/amd64');
    expect(await findGo(folder, program)).toBe(program);
  });
});

function writeGo(version: string): string {
  const program = join(folder, `go-${version.replaceAll(/\W/g, '-')}`);
  writeFileSync(program, `#!/bin/sh\necho '${version}'\n`);
  chmodSync(program, 0o755);
  return program;
}
