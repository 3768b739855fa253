import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findAccessToken, parseAccessFile, type AccessToken } from '@ssb/keys';
import { CONFIG } from './support/example.js';
import { PROGRAM, runCommand } from './support/run-command.js';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  path = join(folder, 'access.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

const tokens = (...args: string[]) => runCommand(['tokens', ...args], { API_ACCESS_FILE: path });
const create = (name: string, ...args: string[]) =>
  tokens('create', '--name', name, '--role', 'viewer', ...(args.length > 0 ? args : ['--all-participants']));
const read = (): AccessToken[] => parseAccessFile(path, readFileSync(path)).tokens;

it('creates a token that the API accepts, prints it once, and keeps its hash in a private file', async () => {
  const { status, stdout, stderr } = await create('grafana', '--participant', 'WPGENCO', '--expires', '2d');
  expect([status, stderr]).toEqual([0, expect.stringContaining('of grafana is valid until')]);
  expect(stderr).toContain('within TLS_RELOAD_INTERVAL_MS');
  const text = stdout.trim();
  const found = findAccessToken(read(), text, Date.now());
  expect(found).toMatchObject({ name: 'grafana', role: 'viewer', participants: ['WPGENCO'] });
  expect(findAccessToken(read(), text, Date.now() + 2 * 86_400_000)).toBeUndefined();
  expect(readFileSync(path, 'utf8')).not.toContain(text.slice(-43));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('keeps comments and other entries of the file', async () => {
  const grant = 'name: dashboard, role: viewer, participants: [WPGENCO]';
  writeFileSync(
    path,
    `# Reviewed by the treasury.\ncertificates:\n  - { subjectAltName: DNS:dashboard.example, ${grant} } # until March\n`,
  );
  await create('one');
  await create('two');
  await tokens('revoke', 'one');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain('# Reviewed by the treasury.');
  expect(text).toContain('# until March');
  expect(read().map(({ name }) => name)).toEqual(['two']);
});

it('lists tokens without their hashes', async () => {
  await create('grafana');
  const { stdout } = await tokens('list');
  expect(stdout).toMatch(/grafana +viewer +all .* valid/);
  const json = JSON.parse((await tokens('list', '--json')).stdout) as { tokens: object[] };
  const [entry] = read();
  expect(json.tokens).toEqual([{ ...entry, hash: undefined, expired: false }]);
  await create('a, "quoted" name', '--participant', 'ALPHA', '--participant', 'BETA');
  const { stdout: csv } = await tokens('list', '-o', 'csv');
  expect(csv.replaceAll(/[\da-f]{12}|\d{4}-[^,\r]*Z/g, '…').split('\r\n')).toEqual([
    'id,name,role,participants,expired,expiresAt,createdAt',
    '…,grafana,viewer,all,false,…,…',
    '…,"a, ""quoted"" name",viewer,ALPHA BETA,false,…,…',
    '',
  ]);
});

it('revokes by an id, or by a name that one token has', async () => {
  await create('grafana');
  await create('grafana');
  const [first, second] = read().map(({ id }) => id);
  const ambiguous = await tokens('revoke', 'grafana');
  expect([ambiguous.status, ambiguous.stderr]).toEqual([
    2,
    `2 tokens have the name grafana: give the id of one, ${first} or ${second}.\n`,
  ]);
  expect((await tokens('revoke', String(first))).status).toBe(0);
  expect((await tokens('revoke', 'grafana')).status).toBe(0);
  expect(read()).toEqual([]);
  expect((await tokens('revoke', 'grafana')).stderr).toContain('has no token grafana.');
});

it('warns of a participant that CONFIG_FILE does not have', async () => {
  const args = ['tokens', 'create', '--name', 'a', '--role', 'viewer', '--participant', 'TYPO'];
  const { status, stderr } = await runCommand(args, { API_ACCESS_FILE: path, CONFIG_FILE: CONFIG });
  expect([status, stderr]).toEqual([0, expect.stringContaining('has no participant TYPO: ')]);
});

it.each([
  ['no participants', ['--expires', '1d'], 'either --participant or --all-participants'],
  ['both', ['--all-participants', '--participant', 'A'], 'either --participant or --all-participants'],
  ['a name with a line break', ['--all-participants', '--name', 'a\nb'], '--name must be a text'],
  ['a time that is past', ['--all-participants', '--expires', '2020-01-01T00:00:00Z'], 'a future time'],
  ['a time that ends at once', ['--all-participants', '--expires', '1s'], 'at least 1m'],
  ['a time without an end', ['--all-participants', '--expires', '9000d'], 'at most 731d'],
])('refuses a token with %s', async (_what, args, sentence) => {
  const { status, stdout, stderr } = await create('grafana', ...args);
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
});

it('adds the tokens of several commands at the same time', async () => {
  const command = [
    PROGRAM,
    'tokens',
    'create',
    '--role',
    'viewer',
    '--all-participants',
    '--file',
    path,
    '--name',
  ];
  const names = ['a', 'b', 'c', 'd'];
  const run = promisify(execFile);
  await Promise.all(names.map((name) => run(process.execPath, [...command, name])));
  expect(
    read()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(names);
});

it('says which file is missing or has errors, and leaves it as it is', async () => {
  expect((await tokens('list')).stderr).toContain(`${path} does not exist.`);
  writeFileSync(path, 'tokens: 5');
  expect(await create('grafana')).toMatchObject({
    status: 78,
    stderr: expect.stringContaining(`${path}: tokens must be a list.`),
  });
  expect(readFileSync(path, 'utf8')).toBe('tokens: 5');
  expect((await runCommand(['tokens', 'list'], { API_ACCESS_FILE: '' })).stderr).toContain('give --file');
});
