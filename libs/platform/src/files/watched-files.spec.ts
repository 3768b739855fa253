import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WatchedFiles } from './watched-files.js';

let folder: string;
let files: WatchedFiles;
let taken: string[][];
let changes: number;
let refusals: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watched-files-'));
  [taken, changes, refusals] = [[], 0, []];
  write({ cert: 'cert 1', key: 'key 1' });
  files = await watch(3_600_000);
});

afterEach(async () => {
  await files.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);

function write(contents: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(contents)) writeFileSync(file(name), content);
}

/** Contents of which the two files end in different numbers do not fit together. */
async function watch(intervalMs: number, take?: () => Promise<void>): Promise<WatchedFiles> {
  const watched = new WatchedFiles({
    paths: ['cert', 'key'].map(file),
    intervalMs,
    take: async (contents) => {
      const [cert = '', key = ''] = contents.map(String);
      if (cert.at(-1) !== key.at(-1)) throw new Error(`${cert} does not fit ${key}`);
      await take?.();
      taken.push([cert, key]);
    },
    changed: () => (changes += 1),
    refused: (error) => void refusals.push(error instanceof Error ? error.message : String(error)),
  });
  await watched.start();
  return watched;
}

const FIRST = ['cert 1', 'key 1'];
const SECOND = ['cert 2', 'key 2'];

it('takes the files as they are, and changed ones once', async () => {
  expect([taken, changes]).toEqual([[FIRST], 0]);
  write({ cert: 'cert 2', key: 'key 2' });
  await files.look();
  await files.look();
  expect([taken, changes, refusals]).toEqual([[FIRST, SECOND], 1, []]);
});

it('leaves the same contents alone, also when they are written anew', async () => {
  write({ cert: 'cert 1', key: 'key 1' });
  await files.look();
  expect([taken, changes]).toEqual([[FIRST], 0]);
});

it('follows a folder that is swapped behind symbolic links, as Kubernetes does', async () => {
  rmSync(folder, { recursive: true });
  for (const version of ['1', '2']) {
    mkdirSync(file(`..${version}`), { recursive: true });
    for (const name of ['cert', 'key']) writeFileSync(join(file(`..${version}`), name), `${name} ${version}`);
  }
  symlinkSync('..1', file('..data'));
  for (const name of ['cert', 'key']) symlinkSync(join('..data', name), file(name));
  await files.look();
  expect(changes).toBe(0);
  symlinkSync('..2', file('..new'));
  renameSync(file('..new'), file('..data'));
  await files.look();
  expect(taken).toEqual([FIRST, SECOND]);
});

it('looks again and again by itself, until it is stopped', async () => {
  await files.stop();
  let tookSecond: () => void = () => undefined;
  const second = new Promise<void>((resolve) => (tookSecond = resolve));
  files = await watch(5, async () => {
    if (taken.length > 1) tookSecond();
  });
  write({ cert: 'cert 2', key: 'key 2' });
  await second;
  await files.stop();
  expect(taken.at(-1)).toEqual(SECOND);
});

it('refuses what cannot be used once, keeps the old, and takes it once it is whole', async () => {
  write({ cert: 'cert 2' });
  await files.look();
  await files.look();
  expect([taken, refusals]).toEqual([[FIRST], ['cert 2 does not fit key 1']]);
  write({ key: 'key 2' });
  await files.look();
  expect(taken).toEqual([FIRST, SECOND]);
});

it('refuses a missing file once, and again after it was there', async () => {
  for (let time = 0; time < 2; time += 1) {
    rmSync(file('key'));
    await files.look();
    await files.look();
    write({ key: 'key 1' });
    await files.look();
  }
  expect(refusals).toEqual(Array(2).fill(expect.stringContaining('ENOENT')));
  expect(taken).toEqual([FIRST]);
});

it('tries again what could not be put to use', async () => {
  await files.stop();
  let works = true;
  files = await watch(3_600_000, () => (works ? Promise.resolve() : Promise.reject(new Error('no'))));
  works = false;
  write({ cert: 'cert 2', key: 'key 2' });
  await files.look();
  works = true;
  await files.look();
  expect(taken.at(-1)).toEqual(SECOND);
  expect(refusals).toEqual(['no']);
});

it('does not start on files that cannot be used', async () => {
  write({ cert: 'cert 2' });
  await expect(watch(3_600_000)).rejects.toThrow('cert 2 does not fit key 1');
  rmSync(file('cert'));
  await expect(watch(3_600_000)).rejects.toThrow('ENOENT');
});
