import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileWatcher } from './file-watcher.js';

let folder: string;
let watcher: FileWatcher;
let applied: string[][];
let changes: number;
let refusals: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'file-watcher-'));
  [applied, changes, refusals] = [[], 0, []];
  write({ cert: 'cert 1', key: 'key 1' });
  watcher = await watch(3_600_000);
});

afterEach(async () => {
  await watcher.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

function write(contents: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(contents)) writeFileSync(file(name), content);
}

/** Refuses a certificate and a key that end in different numbers. */
async function watch(
  intervalMs: number,
  beforeApply?: () => Promise<void>,
  needsTwoChecks = false,
): Promise<FileWatcher> {
  const created = new FileWatcher({
    paths: ['cert', 'key'].map(file),
    intervalMs,
    needsTwoChecks,
    apply: async (contents) => {
      const [cert = '', key = ''] = contents.map(String);
      if (cert.at(-1) !== key.at(-1)) throw new Error(`${cert} does not fit ${key}`);
      await beforeApply?.();
      applied.push([cert, key]);
    },
    onApplied: () => (changes += 1),
    onRefused: (error) => void refusals.push(error instanceof Error ? error.message : String(error)),
  });
  await created.start();
  return created;
}

const FIRST = ['cert 1', 'key 1'];
const SECOND = ['cert 2', 'key 2'];

it('applies the files as they are, and a change once', async () => {
  expect([applied, changes]).toEqual([[FIRST], 0]);
  write({ cert: 'cert 2', key: 'key 2' });
  await watcher.check();
  await watcher.check();
  expect([applied, changes, refusals]).toEqual([[FIRST, SECOND], 1, []]);
});

it('refuses a file that is emptied before it is written', async () => {
  write({ key: '' });
  await watcher.check();
  expect([applied, refusals]).toEqual([[FIRST], [`${file('key')} is empty; write its new content to it.`]]);
  write({ cert: 'cert 2', key: 'key 2' });
  await watcher.check();
  expect(applied).toEqual([FIRST, SECOND]);
});

it('does not apply the same contents again, also when they are rewritten', async () => {
  write({ cert: 'cert 1', key: 'key 1' });
  await watcher.check();
  expect([applied, changes]).toEqual([[FIRST], 0]);
});

it('follows a folder that is swapped behind symbolic links, as Kubernetes does', async () => {
  rmSync(folder, { recursive: true });
  for (const version of ['1', '2']) {
    mkdirSync(file(`..${version}`), { recursive: true });
    for (const name of ['cert', 'key']) writeFileSync(join(file(`..${version}`), name), `${name} ${version}`);
  }
  symlinkSync('..1', file('..data'));
  for (const name of ['cert', 'key']) symlinkSync(join('..data', name), file(name));
  await watcher.check();
  expect(changes).toBe(0);
  symlinkSync('..2', file('..new'));
  renameSync(file('..new'), file('..data'));
  await watcher.check();
  expect(applied).toEqual([FIRST, SECOND]);
});

it('checks at intervals until it is stopped', async () => {
  await watcher.stop();
  let onSecond: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (onSecond = resolve));
  watcher = await watch(5, async () => {
    if (applied.length > 1) onSecond();
  });
  write({ cert: 'cert 2', key: 'key 2' });
  await second;
  await watcher.stop();
  expect(applied.at(-1)).toEqual(SECOND);
});

it('refuses unusable contents once, keeps the old ones, and applies the change once it is complete', async () => {
  write({ cert: 'cert 2' });
  await watcher.check();
  await watcher.check();
  expect([applied, refusals]).toEqual([[FIRST], ['cert 2 does not fit key 1']]);
  write({ key: 'key 2' });
  await watcher.check();
  expect(applied).toEqual([FIRST, SECOND]);
});

it('refuses a missing file once, and again after it was present', async () => {
  for (let time = 0; time < 2; time += 1) {
    rmSync(file('key'));
    await watcher.check();
    await watcher.check();
    write({ key: 'key 1' });
    await watcher.check();
  }
  expect(refusals).toEqual(Array(2).fill(expect.stringContaining('ENOENT')));
  expect(applied).toEqual([FIRST]);
});

it('applies the previous contents again after others were refused', async () => {
  write({ cert: 'cert 2' });
  await watcher.check();
  write({ cert: 'cert 1' });
  await watcher.check();
  await watcher.check();
  expect([applied, changes]).toEqual([[FIRST, FIRST], 1]);
});

it('applies contents that two checks in a row find, when it is set so', async () => {
  await watcher.stop();
  watcher = await watch(3_600_000, undefined, true);
  applied = [];
  const found: string[][][] = [];
  // The file is written while the checks run.
  for (const cert of ['cert 3 1', 'cert 2 1', 'cert 2 1']) {
    write({ cert });
    await watcher.check();
    found.push([...applied]);
  }
  expect(found).toEqual([[], [], [['cert 2 1', 'key 1']]]);
  rmSync(file('cert'));
  await watcher.check();
  write({ cert: 'cert 2' });
  await watcher.check();
  expect(refusals).toEqual([expect.stringContaining('ENOENT')]);
});

it('tries again to apply what failed', async () => {
  await watcher.stop();
  let works = true;
  watcher = await watch(3_600_000, () => (works ? Promise.resolve() : Promise.reject(new Error('no'))));
  works = false;
  write({ cert: 'cert 2', key: 'key 2' });
  await watcher.check();
  works = true;
  await watcher.check();
  expect(applied.at(-1)).toEqual(SECOND);
  expect(refusals).toEqual(['no']);
});

it('does not start with unusable files', async () => {
  write({ cert: 'cert 2' });
  await expect(watch(3_600_000)).rejects.toThrow('cert 2 does not fit key 1');
  rmSync(file('cert'));
  await expect(watch(3_600_000)).rejects.toThrow('ENOENT');
});
