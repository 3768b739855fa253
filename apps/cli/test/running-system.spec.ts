import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyFolder } from '@ssb/keys';
import { lockFolder, lockSocketOf, type Unlock } from '@ssb/platform/files';
import { startScriptedServer, type ScriptedServer } from '@ssb/testing';
import { completeEnvironment, findDataFolder, findRunningSystems } from '../src/system/running-system.js';
import { runCommand } from './support/run-command.js';

const { TMPDIR } = process.env;

let parent: string;
let server: ScriptedServer;
let unlocks: Unlock[];

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'running-system-'));
  server = await startScriptedServer();
  server.respond = () => ({ body: '{"items":[]}' });
  unlocks = [];
});
afterEach(async () => {
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await Promise.all([...unlocks.map((unlock) => unlock()), server.stop()]);
  rmSync(parent, { recursive: true });
});

/** A data folder as a running npm start has it, with its lock, keys and settings. */
async function playSystem(name: string, hasStarted = true): Promise<string> {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'token'), name);
  const api = { BUSBRIDGE_URL: server.url, BUSBRIDGE_TOKEN_FILE: join(folder, 'token') };
  const lockSocket = lockSocketOf(join(folder, 'start'));
  writeFileSync(
    join(folder, 'busbridge.json'),
    JSON.stringify({ lockSocket, ...(hasStarted && { groups: { api } }) }),
  );
  unlocks.push(await lockFolder(join(folder, 'start')));
  await new KeyFolder(join(folder, 'secrets')).create(new Date());
  return folder;
}

function damage(name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'busbridge.json'), '{');
  return folder;
}

/** A clone whose entries name these data folders. */
function createClone(...folders: string[]): string {
  const clone = mkdtempSync(join(parent, 'clone-'));
  const entries = join(clone, '.data/systems');
  mkdirSync(entries, { recursive: true });
  for (const [at, folder] of folders.entries()) writeFileSync(join(entries, String(at)), folder);
  return clone;
}

const list = (environment: Readonly<Record<string, string>>) =>
  runCommand(['problems', 'list'], { BUSBRIDGE_PROFILES_FILE: join(parent, 'none'), ...environment });

const users = (): (string | undefined)[] =>
  server.received
    .filter(({ url }) => url?.startsWith('/v1/problems'))
    .map(({ headers }) => headers.authorization);

const ended = (status: number, sentence: string) => ({
  status,
  stdout: '',
  stderr: expect.stringContaining(sentence) as string,
});

it('commands use the system of BUSBRIDGE_DATA while it runs, whose token BUSBRIDGE_TOKEN replaces', async () => {
  const data = await playSystem('system');
  await list({ BUSBRIDGE_DATA: data });
  await list({ BUSBRIDGE_DATA: data, BUSBRIDGE_TOKEN: 'another' });
  expect(users()).toEqual(['Bearer system', 'Bearer another']);
  await unlocks.pop()?.();
  // The file of a system that was killed is still there.
  expect(await list({ BUSBRIDGE_DATA: data })).toEqual(ended(78, 'No npm start runs with the data folder'));
});

it('a system is found with another temporary folder, although its socket is in that of npm start', async () => {
  process.env['TMPDIR'] = parent;
  const data = await playSystem('x'.repeat(120));
  process.env['TMPDIR'] = mkdtempSync(join(parent, 'tmp-'));
  expect(await list({ BUSBRIDGE_DATA: data })).toMatchObject({ status: 0, stderr: '' });
});

it('a system that still starts is not taken for a bridge', async () => {
  const data = await playSystem('system', false);
  expect(await list({ BUSBRIDGE_DATA: data })).toEqual(ended(78, `${data} still starts`));
});

describe('keys', () => {
  const show = (environment: Readonly<Record<string, string>>) => runCommand(['keys', 'show'], environment);
  const shown = (data: string) => ({
    status: 0,
    stdout: expect.stringContaining(`Keys in ${join(data, 'secrets')}:`) as string,
  });

  it('are those of BUSBRIDGE_DATA, also when nothing runs there', async () => {
    const data = await playSystem('system');
    expect(await show({ BUSBRIDGE_DATA: data })).toMatchObject(shown(data));
    await unlocks.pop()?.();
    expect(await show({ BUSBRIDGE_DATA: data })).toMatchObject(shown(data));
    const missing = join(parent, 'missing');
    expect(await show({ BUSBRIDGE_DATA: missing })).toEqual(ended(78, 'or correct BUSBRIDGE_DATA'));
  });

  it('are those of the running system, whichever bridge is named', async () => {
    const data = await playSystem('system');
    await findRunningSystems({}, createClone(data));
    for (const named of [
      {},
      { BUSBRIDGE_URL: 'https://bridge.example' },
      { BUSBRIDGE_PROFILE: 'production' },
    ])
      expect(findDataFolder(named)).toBe(data);
  });
});

describe('a damaged file of npm start', () => {
  it('does not matter beside a running system', async () => {
    const data = await playSystem('system');
    await findRunningSystems({}, createClone(damage('damaged'), data));
    expect(completeEnvironment({})).toMatchObject({ BUSBRIDGE_URL: server.url });
    await findRunningSystems({}, createClone(join(parent, 'damaged')));
    expect(() => completeEnvironment({})).toThrow('is damaged. End its npm start');
  });

  it.each(['{"groups": {}}', '{"lockSocket": 1}', 'null', '{'])(
    'of BUSBRIDGE_DATA ends with status 78, unless another bridge is named: %s',
    async (text) => {
      const data = damage('damaged');
      writeFileSync(join(data, 'busbridge.json'), text);
      expect(await list({ BUSBRIDGE_DATA: data })).toEqual(
        ended(78, `${join(data, 'busbridge.json')} is damaged.`),
      );
      const named = { BUSBRIDGE_URL: 'http://127.0.0.1:1', BUSBRIDGE_TOKEN: 'any' };
      expect(await list({ BUSBRIDGE_DATA: data, ...named })).toMatchObject({ status: 69 });
    },
  );

  it.each([
    [['verify', '/missing.json'], 2, "no such file or directory, open '/missing.json'"],
    [['problems', 'list', '--profile', 'p'], 78, 'none does not exist.'],
    [['keys', 'show', '--dir', '/dev/null'], 78, '/dev/null/integrity.keys is not in a folder'],
  ])('does not hide what is wrong with %j', async (args, status, sentence) => {
    const environment = { BUSBRIDGE_DATA: damage('damaged'), BUSBRIDGE_PROFILES_FILE: join(parent, 'none') };
    expect(await runCommand(args, environment)).toEqual(ended(status, sentence));
  });
});
