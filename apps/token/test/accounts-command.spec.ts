import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '@ssb/testing';
import type { AccountResponse } from '../src/accounts/accounts.dto.js';
import { ADMIN_SECRET, type RunningApp, startTokenApp } from './support/running-app.js';
import { runAccountsCommand } from '../src/cli/accounts-command.js';
import { UsageError } from '../src/cli/command-line.js';

let app: RunningApp;

/** The token endpoint listens on another address than the admin API. */
beforeAll(async () => {
  app = await startTokenApp({ HOST: 'localhost' });
});

afterAll(async () => {
  await app.stop();
});

const run = (args: readonly string[], stdin = ''): Promise<string> =>
  runAccountsCommand(args.includes('--url') ? args : [...args, '--url', app.adminUrl], {
    settings: { ADMIN_PORT: 1, ADMIN_SECRET_FILE: app.adminSecretFile },
    readStdin: () => Promise.resolve(stdin),
  });
const json = async <T>(...args: string[]): Promise<T> => JSON.parse(await run([...args, '--json'])) as T;
const create = (clientId: string, ...options: string[]): Promise<AccountResponse> =>
  json('create', '--client-id', clientId, '--scope', 'SETTLEMENT|PART1|R', ...options);

async function tokenStatus(clientId: string, secret = ''): Promise<number> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  const response = await fetch(`${app.url}/oauth/v1/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return response.status;
}

describe('the accounts command', () => {
  it('creates an account and shows its generated secret once', async () => {
    const made = await create('made', '--scope', 'PRUDENTIAL|PART1|R');
    expect(made).toMatchObject({
      outcome: 'created',
      account: { clientId: 'made', disabled: false, bound: false },
    });
    expect(await tokenStatus('made', made.secret)).toBe(200);
    const table = await run(['list']);
    expect(table).toMatch(/^made +enabled +no +\S+ +SETTLEMENT\|PART1\|R PRUDENTIAL\|PART1\|R$/m);
    expect(table).not.toContain(made.secret);
  });

  it('reads a secret from standard input or a file, and does not show it', async () => {
    const secret = 'a secret of my own';
    const args = ['create', '--client-id', 'given', '--scope', 'A|P|R', '--client-secret-stdin'];
    expect(await run(args, `${secret}\n`)).toBe('given is created.');
    await writeFile(join(app.folder, 'given'), `${secret}\n`);
    const fromFile = await create('from-file', '--client-secret-file', join(app.folder, 'given'));
    expect(fromFile.secret).toBeUndefined();
    expect([await tokenStatus('given', secret), await tokenStatus('from-file', secret)]).toEqual([200, 200]);
  });

  it('keeps or replaces an existing account only with the option', async () => {
    const first = await create('twice');
    await expect(create('twice')).rejects.toThrow('--if-missing keeps it as it is, --replace changes it');
    const kept = await create('twice', '--if-missing');
    expect([kept.outcome, kept.secret]).toEqual(['kept', undefined]);
    expect(await tokenStatus('twice', first.secret)).toBe(200);
    const replaced = await create('twice', '--replace');
    expect(replaced.outcome).toBe('replaced');
    expect([await tokenStatus('twice', first.secret), await tokenStatus('twice', replaced.secret)]).toEqual([
      401, 200,
    ]);
  });

  it('rotates a secret: the old one is valid no more, or until its grace period ends', async () => {
    const first = await create('rotated');
    const second = await json<AccountResponse>('rotate', '--client-id', 'rotated', '--grace', '600');
    expect(second.account.previousSecretUntil).toBeDefined();
    expect([await tokenStatus('rotated', first.secret), await tokenStatus('rotated', second.secret)]).toEqual(
      [200, 200],
    );
    const third = await json<AccountResponse>('rotate', '--client-id', 'rotated');
    expect(await tokenStatus('rotated', second.secret)).toBe(401);
    expect(await tokenStatus('rotated', third.secret)).toBe(200);
  });

  it.each<string>([
    '',
    'drop',
    'list all',
    'create --scope A|P|R',
    'create --client-id a',
    'create --client-id a --scope A',
    'list --all',
    'list --client-id a',
    // The secret is too short.
    'create --client-id a --scope A|P|R --client-secret-stdin',
    'create --client-id a --scope A|P|R --replace --if-missing',
    'rotate --client-id a --grace 9999999',
  ])('refuses "%s"', async (line) => {
    const args = line.split(' ').filter((part) => part !== '');
    await expect(run(args, 'short')).rejects.toThrow(UsageError);
  });

  it('reports an unknown account, a client id with a line break, a binding without CLIENT_CA_FILE, a wrong secret and no service', async () => {
    const createA = ['create', '--client-id', 'a', '--scope', 'A|P|R'];
    const lineBreak = ['create', '--client-id', 'a\nb', '--scope', 'A|P|R'];
    const otherSecret = ['list', '--secret-file', join(app.folder, 'key-secret')];
    await expect(run(['disable', '--client-id', 'x'])).rejects.toThrow('there is no account x');
    await expect(run(lineBreak)).rejects.toThrow('clientId must be');
    await expect(run([...createA, '--bound'])).rejects.toThrow('CLIENT_CA_FILE');
    await expect(run(otherSecret)).rejects.toThrow('refused the secret');
    await expect(run(['list', '--url', 'http://127.0.0.1:9'])).rejects.toThrow('start the token service');
  });
});

it('the command as a program exits with 2 after a usage error, and says what to do', async () => {
  const program = join(import.meta.dirname, '../src/accounts.js');
  expect(await runToEnd(program, ['list'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--secret-file'),
  });
});

describe('the admin API', () => {
  const send = (
    authorization: string | undefined,
    path = '/admin/v1/accounts',
    body?: string,
  ): Promise<Response> =>
    fetch(`${app.adminUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(authorization && { authorization }), 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    });
  const CORRECT = `Bearer ${ADMIN_SECRET}`;

  it('listens on loopback, independent of the address of the token endpoint', () => {
    expect(app.url).toMatch(/^http:\/\/localhost:/);
    expect(app.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });

  it('refuses an Authorization header without the whole secret', async () => {
    for (const authorization of [
      undefined,
      'Bearer another secret of 32 bytes or more',
      `Bearer ${ADMIN_SECRET.slice(0, -1)}`,
      `Basic ${ADMIN_SECRET}`,
    ]) {
      const { status, headers } = await send(authorization);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="token-admin"']);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  it('is not served on the public port', async () => {
    const response = await fetch(`${app.url}/admin/v1/accounts`, { headers: { authorization: CORRECT } });
    expect(response.status).toBe(404);
  });

  it('refuses an invalid query', async () => {
    for (const query of 'limit=0 limit=501 limit=few after=%00 after=%C3%A9 after=a&after=b page=2'.split(
      ' ',
    )) {
      const { status, headers } = await send(CORRECT, `/admin/v1/accounts?${query}`);
      expect([query, status]).toEqual([query, 422]);
      expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });
});
