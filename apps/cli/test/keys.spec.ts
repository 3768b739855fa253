import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KEY_NAMES, KeyFolder } from '@ssb/keys';
import type { EndedProcess } from '@ssb/testing';
import { listKeys, renderKeys } from '../src/keys/keys-output.js';
import { PROGRAM, runCommand } from './support/run-command.js';

let parent: string;
let dir: string;
/** Everything that the commands printed. */
let output = '';

beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'cli-keys-'));
  dir = join(parent, 'keys');
});
afterAll(() => rmSync(parent, { recursive: true }));

async function keys(...args: string[]): Promise<EndedProcess> {
  const ended = await runCommand(['keys', ...args]);
  output += ended.stdout + ended.stderr;
  return ended;
}

/** Runs the command as a user whose files would be open to everyone. It must succeed. */
async function keysWithoutMask(...args: string[]): Promise<string> {
  const command = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, PROGRAM, 'keys', ...args];
  const { stdout, stderr } = await promisify(execFile)('/bin/sh', command, { cwd: parent });
  expect(stderr).toBe('');
  output += stdout;
  return stdout;
}

/** Every secret in the files. */
async function readSecrets(): Promise<string[]> {
  const folder = new KeyFolder(dir);
  const rings = await Promise.all(KEY_NAMES.map((name) => folder.read(name)));
  const encryption = readFileSync(join(dir, 'encryption.secret'), 'utf8');
  return [encryption, ...rings.flatMap((ring) => ring.keys.map(({ secret }) => secret))];
}

it('busbridge keys: create, show and rotate print no secret, and write files for their owner alone', async () => {
  const secrets = new Set<string>();
  const remember = async (): Promise<void> => {
    for (const secret of await readSecrets()) secrets.add(secret);
  };
  const created = await keysWithoutMask('create', '--dir', dir);
  expect(created).toMatch(/^origin +1 +active +did:ethr:0x[0-9a-f]{40}$/im);
  expect(created).toMatch(/^gateway-publisher\.users\.json +USERS_FILE of the publisher's gateway$/m);
  await remember();
  const files = readdirSync(dir).map((name) => join(dir, name));
  expect(files).toHaveLength(8);
  const modes = (): string[] => [dir, ...files].map((path) => (statSync(path).mode & 0o777).toString(8));
  expect(modes()).toEqual(['700', ...files.map(() => '600')]);

  const immediate = await keys('rotate', 'origin', 'integrity', '--dir', dir);
  expect([immediate.status, immediate.stderr]).toEqual([2, expect.stringContaining('with --active-in')]);
  const rotated = await keys('rotate', 'all', '--dir', dir, '--active-in', '1h', '--json');
  expect((JSON.parse(rotated.stdout) as { originDids: string[] }).originDids).toHaveLength(1);
  const origin = await keys('rotate', 'origin', '--dir', dir, '--active-in', '1h', '--json');
  expect((JSON.parse(origin.stdout) as { originDids: string[] }).originDids).toHaveLength(2);
  await remember();
  expect(modes()).toEqual(['700', ...files.map(() => '600')]);

  const refused = await keys('rotate', 'all', '--dir', dir);
  expect(refused.status).toBe(1);
  expect(
    refused.stderr.match(/^[a-z-]+: version 2 is not active before .* activate it earlier/gm),
  ).toHaveLength(KEY_NAMES.length - 1);

  chmodSync(join(dir, 'origin.key'), 0o640);
  const leaked = await keys('rotate', 'integrity', '--dir', dir, '--leaked');
  expect(leaked.stdout).toContain('integrity: dropped version 1, 2.');
  expect([leaked.status, leaked.stderr]).toEqual([
    0,
    expect.stringMatching(/origin\.key has the mode 0640, so others can use it\. Run "chmod go= /),
  ]);
  await remember();

  chmodSync(join(dir, 'integrity.keys'), 0o644);
  const shown = await keys('show', '--dir', dir, '--json');
  expect(shown.status).toBe(1);
  expect(shown.stderr).toMatch(/integrity\.keys has the mode 0644, so others can use it\. Run "chmod go= /);
  const { keys: shownKeys } = JSON.parse(shown.stdout) as { keys: readonly object[] };
  expect(shownKeys[0]).toMatchObject({ name: 'integrity', versions: [{ version: 3, state: 'active' }] });

  expect(secrets.size).toBe(12);
  for (const secret of secrets) expect(output).not.toContain(secret);
  expect(output).not.toContain('$sha256$');
});

it('the table of keys has whole DIDs and fingerprints on a narrow terminal, and the time of a pending version', async () => {
  const folder = new KeyFolder(join(parent, 'table'));
  const now = new Date();
  await folder.create(now);
  const created = await listKeys(folder);
  const render = (width?: number): string => renderKeys({ ...created, keys: shown }, width).plain;
  let shown = created.keys;
  const [{ fingerprint } = {}] = created.files;
  expect(fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(render(80)).toMatch(new RegExp(`^origin +1 active +${created.originDids[0]}$`, 'm'));
  expect(render(80)).toMatch(new RegExp(`^encryption\\.secret +${fingerprint} +ORIGIN_KEY`, 'm'));
  expect(render()).not.toContain('active from');
  shown = created.keys.map((key) => ({
    ...key,
    versions: key.versions.map((each) => ({ ...each, state: 'pending' })),
  }));
  expect(render(80)).toMatch(new RegExp(`^origin +1 pending +${created.originDids[0]}$`, 'm'));
  expect(render()).toMatch(/^origin +1 pending +\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +did:/m);
});

it('busbridge keys refuses a wrong duration, a folder that is missing, and one without keys', async () => {
  const [empty, missing] = [join(parent, 'empty'), join(parent, 'missing')];
  mkdirSync(empty);
  expect(await keys('rotate', 'all', '--active-in', '5', '--dir', dir)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/A number with the unit s, m, h or d/),
  });
  expect(await keys('rotate', 'all', '--dir', missing)).toMatchObject({
    status: 78,
    stderr: `The folder ${missing} does not exist. Give another --dir.\n`,
  });
  expect(await keys('rotate', 'all', '--dir', empty)).toMatchObject({
    status: 78,
    stdout: '',
    stderr: expect.stringMatching(/empty has no keys\. Create them/),
  });
});
