import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { UsageError, runAccountsCommand } from './accounts-command.js';
import { AccountsFileError } from './accounts-file.js';
import { FileAccountStore } from './file-account-store.js';
import { isSecret } from './secret-hash.js';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'));
  file = join(folder, 'accounts.json');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const run = (args: string[], stdin = ''): Promise<string> =>
  runAccountsCommand([...args, '--file', file], () => Promise.resolve(stdin));
const create = (clientId: string, ...more: string[]): Promise<string> =>
  run(['create', '--client-id', clientId, '--scope', 'SETTLEMENT|PART1|R', ...more]);

async function holds(clientId: string, secret: string): Promise<boolean> {
  const account = await (await FileAccountStore.open(file)).find(clientId);
  return account !== undefined && isSecret(secret, account.secret);
}

describe('the accounts command', () => {
  it('makes a secret, prints it once and stores it nowhere', async () => {
    const secret = await create('part1', '--scope', 'PRUDENTIAL|PART1|R');
    expect(await readFile(file, 'utf8')).not.toContain(secret);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await holds('part1', secret)).toBe(true);
    expect(await run(['list'])).toBe('part1 SETTLEMENT|PART1|R PRUDENTIAL|PART1|R');
  });

  it('takes a secret from standard input or a file, and does not print it', async () => {
    const secret = 'a secret of my own';
    expect(
      await run(['create', '--client-id', 'a', '--scope', 'A|P|R', '--secret-stdin'], `${secret}\n`),
    ).not.toContain(secret);
    await writeFile(join(folder, 'secret'), secret);
    await create('b', '--secret-file', join(folder, 'secret'));
    expect(await holds('a', secret)).toBe(true);
    expect(await holds('b', secret)).toBe(true);
  });

  it('replaces an account only when told to', async () => {
    const first = await create('part1');
    await create('part2');
    await expect(create('part1')).rejects.toThrow(UsageError);
    const second = await create('part1', '--replace');
    expect(await holds('part1', first)).toBe(false);
    expect(await holds('part1', second)).toBe(true);
    expect((await run(['list'])).split('\n')).toHaveLength(2);
  });

  it.each([
    ['no verb', []],
    ['another verb', ['drop']],
    ['no client', ['create', '--scope', 'A|P|R']],
    ['no scope', ['create', '--client-id', 'a']],
    ['a scope that is none', ['create', '--client-id', 'a', '--scope', 'A']],
    ['an unknown option', ['create', '--client-id', 'a', '--scope', 'A|P|R', '--secret', 'x']],
    ['a short secret', ['create', '--client-id', 'a', '--scope', 'A|P|R', '--secret-stdin']],
  ])('refuses %s', async (_, args) => {
    await expect(run(args, 'short')).rejects.toThrow(UsageError);
  });
});

describe('FileAccountStore', () => {
  it('notices a change of its file', async () => {
    await create('part1');
    const store = await FileAccountStore.open(file);
    expect(await store.find('part2')).toBeUndefined();
    await create('part2');
    expect(await store.find('part2')).toMatchObject({ clientId: 'part2' });
  });

  it.each([
    ['no JSON', '{'],
    ['something else', '{"users":[]}'],
    ['a scope that is none', '{"accounts":[{"clientId":"a","scopes":["X"],"secret":{}}]}'],
  ])('refuses %s rather than going on with what was', async (_, content) => {
    await create('part1');
    const store = await FileAccountStore.open(file);
    await writeFile(file, content);
    await expect(store.find('part1')).rejects.toThrow(AccountsFileError);
  });

  it('refuses to open without a file', async () => {
    await expect(FileAccountStore.open(file)).rejects.toThrow(AccountsFileError);
  });
});
