import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventStore, storedEvent } from '../../test/event-store.conformance.js';
import { FileStore, StoreUnusableError } from './file-store.js';
import type { StoreOptions } from './memory-store.js';

let folder: string;
const file = (): string => join(folder, 'store', 'events.jsonl');
const create = (options?: StoreOptions): FileStore => new FileStore(join(folder, 'store'), options);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-store-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(options?: StoreOptions): Promise<FileStore> {
  const store = create(options);
  await store.open();
  return store;
}

async function fill(count: number, options?: StoreOptions): Promise<void> {
  const store = await open(options);
  for (let number = 1; number <= count; number += 1) await store.save(storedEvent(number));
  await store.close();
}

describeEventStore('FileStore', create);

it('holds its events, bounds and horizons when it is opened again', async () => {
  await fill(5, { maxEvents: 3 });
  const first = await open({ maxEvents: 3 });
  const before = await Promise.all([2, 3, 6].map((number) => first.find(storedEvent(number))));
  await first.close();
  const again = await open({ maxEvents: 3 });
  expect(await Promise.all([2, 3, 6].map((number) => again.find(storedEvent(number))))).toEqual(before);
  expect(before.map(({ isHeld }) => isHeld)).toEqual([false, true, false]);
  expect(before[0]?.heldSince).toBeDefined();
  await again.close();
});

it('may be read by its owner alone', async () => {
  await fill(1);
  expect([statSync(join(folder, 'store')).mode & 0o777, statSync(file()).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
});

it.each([
  ['an incomplete last line', '{"id":"half'],
  ['a damaged last line', '\u0000\u0000\u0000\n'],
])('removes %s, which a crash left, and writes after the others', async (_, rest) => {
  await fill(2);
  appendFileSync(file(), rest);
  const store = await open();
  await store.save(storedEvent(3));
  await store.close();
  const again = await open();
  for (const number of [1, 2, 3])
    expect(await again.find(storedEvent(number))).toMatchObject({ isHeld: true });
  await again.close();
});

it.each([
  ['a damaged line', (text: string) => text.replace('{"id"', '{"di"'), /line 3 of events.jsonl is damaged/],
  ['another file', () => 'hello\n', /is not the file of a store/],
])('refuses %s, and can be opened after it was corrected', async (_, damage, problem) => {
  await fill(2);
  const text = readFileSync(file(), 'utf8');
  writeFileSync(file(), damage(text));
  const refused = create();
  await expect(refused.open()).rejects.toThrow(StoreUnusableError);
  await expect(create().open()).rejects.toThrow(problem);
  writeFileSync(file(), text);
  await (await open()).close();
});

it('keeps its file small: it is written anew when most lines are surplus', async () => {
  const store = await open({ maxEvents: 10 });
  for (let number = 1; number <= 1_100; number += 1)
    await store.save(storedEvent(number % 60, `s ${number}`));
  expect(readFileSync(file(), 'utf8').split('\n').length).toBeLessThan(1_050);
  await store.close();
  const again = await open({ maxEvents: 10 });
  expect(await again.find(storedEvent(1_100 % 60, 's 1100'))).toMatchObject({ isHeld: true });
  await again.close();
});

it('is refused to a second consumer, and to a second process', async () => {
  const store = await open();
  await expect(create().open()).rejects.toThrow(/another process uses it. Give each consumer a folder/);
  await expect(store.save(storedEvent(1))).resolves.toBeUndefined();
  await store.close();
});

it('has everything in its folder, which may be the root of a volume', async () => {
  const store = await open();
  expect(readdirSync(folder)).toEqual(['store']);
  expect(readdirSync(join(folder, 'store')).toSorted()).toEqual(['events.jsonl', 'lock.in-use']);
  await store.close();
});

it('removes a draft that a crash left', async () => {
  await fill(1);
  writeFileSync(`${file()}.1234.draft`, 'half');
  await fill(1);
  expect(readdirSync(join(folder, 'store'))).toEqual(['events.jsonl']);
});

it('is unusable after its new file could not be opened, and keeps what it saved', async () => {
  const store = await open({ maxEvents: 10 });
  const handle = await openFile(file());
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const sync = Reflect.get(prototype, 'sync');
  // The new file is synchronised, then the folder is not.
  const spy = jest
    .spyOn(prototype, 'sync')
    .mockImplementationOnce(function (this: FileHandle) {
      return sync.call(this);
    })
    .mockRejectedValueOnce(new Error('input/output error'));
  let saved = 0;
  let failure: unknown;
  for (; failure === undefined && saved < 1_100; saved += 1)
    await store.save(storedEvent(saved)).catch((error: unknown) => (failure = error));
  spy.mockRestore();
  expect(failure).toBeInstanceOf(StoreUnusableError);
  await expect(store.save(storedEvent(saved))).rejects.toThrow(StoreUnusableError);
  await store.close();
  const again = await open({ maxEvents: 10 });
  expect(await again.find(storedEvent(saved - 1))).toMatchObject({ isHeld: true });
  expect(await again.find(storedEvent(saved))).toMatchObject({ isHeld: false });
  await again.close();
});

it('says what is wrong when its folder cannot be used, or on Windows', async () => {
  writeFileSync(join(folder, 'store'), 'a file');
  await expect(create().open()).rejects.toThrow(StoreUnusableError);
  await expect(create().open()).rejects.toThrow(/Choose a folder that this process may write/);
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  try {
    await expect(create().open()).rejects.toThrow(/Use another store on Windows/);
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
  }
});

it('keeps what was saved before its process was killed', async () => {
  const module = new URL('./file-store.js', import.meta.url).href;
  const script = `
    const { FileStore } = await import(${JSON.stringify(module)});
    const store = new FileStore(${JSON.stringify(join(folder, 'store'))});
    await store.open();
    for (const event of ${JSON.stringify([1, 2, 3].map((number) => storedEvent(number)))}) await store.save(event);
    console.log('saved');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await expect(create().open()).rejects.toThrow(StoreUnusableError);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const store = await open();
  for (const number of [1, 2, 3])
    expect(await store.find(storedEvent(number))).toMatchObject({ isHeld: true });
  await store.close();
});
