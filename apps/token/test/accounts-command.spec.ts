import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
  runAccountsCommand([...args, '--url', app.adminUrl], {
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

  it.each<[string, string[]]>([
    ['no verb', []],
    ['another verb', ['drop']],
    ['more than a verb', ['list', 'all']],
    ['no client', ['create', '--scope', 'A|P|R']],
    ['no scope', ['create', '--client-id', 'a']],
    ['a malformed scope', ['create', '--client-id', 'a', '--scope', 'A']],
    ['an unknown option', ['list', '--all']],
    ['an option of another verb', ['list', '--client-id', 'a']],
    ['a short secret', ['create', '--client-id', 'a', '--scope', 'A|P|R', '--client-secret-stdin']],
    [
      '--replace with --if-missing',
      ['create', '--client-id', 'a', '--scope', 'A|P|R', '--replace', '--if-missing'],
    ],
    ['a grace period that is too long', ['rotate', '--client-id', 'a', '--grace', '9999999']],
  ])('refuses %s', async (_, args) => {
    await expect(run(args, 'short')).rejects.toThrow(UsageError);
  });

  it.each<[string, string[], string]>([
    ['an unknown account', ['disable', '--client-id', 'unknown'], 'there is no account unknown'],
    [
      'a client id with a line break',
      ['create', '--client-id', 'a\nb', '--scope', 'A|P|R'],
      'clientId must be',
    ],
    [
      'a binding without CLIENT_CA_FILE',
      ['create', '--client-id', 'a', '--scope', 'A|P|R', '--bound'],
      'CLIENT_CA_FILE',
    ],
    ['another secret', ['list', '--secret-file', 'key-secret'], 'refused the secret'],
  ])('reports %s', async (_, args, message) => {
    const inFolder = args.map((each) => (each === 'key-secret' ? join(app.folder, each) : each));
    await expect(run(inFolder)).rejects.toThrow(message);
  });
});

describe('the command as a program', () => {
  const program = join(import.meta.dirname, '../src/accounts.js');
  const start = async (...args: string[]): Promise<{ status: number | null; out: string; err: string }> => {
    const child = spawn(process.execPath, [program, ...args], { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { status, out, err };
  };

  it('exits with 0, 1 or 2, and says what to do', async () => {
    const url = ['--url', app.adminUrl];
    const secret = ['--secret-file', app.adminSecretFile];
    const [listed, unreachable, noSecret] = await Promise.all([
      start('list', ...url, ...secret),
      start('list', '--url', 'http://127.0.0.1:9', ...secret),
      start('list'),
    ]);
    expect(listed).toMatchObject({ status: 0, err: '' });
    expect(unreachable).toMatchObject({ status: 1, err: expect.stringContaining('start the token service') });
    expect(noSecret).toMatchObject({ status: 2, err: expect.stringContaining('--secret-file') });
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

  it.each([
    ['nothing', undefined],
    ['another secret', 'Bearer another secret of 32 bytes or more'],
    ['a part of the secret', `Bearer ${ADMIN_SECRET.slice(0, -1)}`],
    ['another scheme', `Basic ${ADMIN_SECRET}`],
  ])('refuses %s in the Authorization header', async (_, authorization) => {
    const response = await send(authorization);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="token-admin"',
    ]);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it('is not served on the public port', async () => {
    const response = await fetch(`${app.url}/admin/v1/accounts`, { headers: { authorization: CORRECT } });
    expect(response.status).toBe(404);
  });

  it.each(['limit=0', 'limit=501', 'limit=few', 'after=%00', 'after=%C3%A9', 'after=a&after=b', 'page=2'])(
    'refuses the query ?%s',
    async (query) => {
      const response = await send(CORRECT, `/admin/v1/accounts?${query}`);
      expect(response.status).toBe(422);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    },
  );
});
