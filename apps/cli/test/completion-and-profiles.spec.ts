import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startScriptedServer } from '@ssb/testing';
import { PROGRAM, runCommand } from './support/run-command.js';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'profiles-'));
  file = join(folder, 'profiles.yaml');
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeProfiles(text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
}

describe('busbridge completion', () => {
  /** What bash shows after these words. The last one is not complete. */
  function complete(script: string, ...words: string[]): string[] {
    const lines = [
      `busbridge() { "$NODE" "$PROGRAM" "$@"; }`,
      script,
      `COMP_WORDS=(busbridge "$@")`,
      `COMP_CWORD=$#`,
      `_busbridge busbridge`,
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ];
    const output = execFileSync('bash', ['--norc', '-c', lines.join('\n'), 'bash', ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, BUSBRIDGE_PROFILES_FILE: file },
    });
    return output.split('\n').filter((line) => line !== '');
  }

  it('completes commands, options, values and profiles in bash', async () => {
    const { stdout: script } = await runCommand(['completion', 'bash']);
    writeProfiles(
      'profiles: { production: { url: "https://bridge.example" }, test: { url: "https://b.example" } }',
    );
    expect(complete(script, 'pro')).toEqual(['problems', 'provision']);
    expect(complete(script, 'problems', 'l')).toEqual(['list']);
    expect(complete(script, 'problems', 'list', '--part')).toEqual(['--participant']);
    expect(complete(script, 'problems', 'list', '--all', '--severity', '')).toEqual([
      'info',
      'warning',
      'critical',
    ]);
    expect(complete(script, 'problems', 'list', '-o', 'c')).toEqual(['csv']);
    expect(complete(script, 'keys', 'rotate', 'integrity', 'gateway-p')).toEqual(['gateway-publisher']);
    expect(complete(script, 'dead-letters', 'list', '--profile', 'p')).toEqual(['production']);
    expect(complete(script, 'positions', '')).toEqual(['list']);
    expect(complete(script, 'verify', '')).toEqual([]);
    chmodSync(file, 0o644);
    expect(complete(script, 'doctor', '--profile', '')).toEqual([]);
  });

  it('prints a script that zsh can read, where it is installed', async () => {
    const { stdout } = await runCommand(['completion', 'zsh']);
    const { error, stderr } = spawnSync('zsh', ['-n'], { input: stdout, encoding: 'utf8' });
    expect(error === undefined ? stderr : '').toBe('');
  });
});

describe('profiles', () => {
  const list = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
    runCommand(['problems', 'list', ...args], { BUSBRIDGE_PROFILES_FILE: file, ...environment });

  it('name the bridge: --profile first, then BUSBRIDGE_PROFILE, BUSBRIDGE_URL, and the default of the file', async () => {
    const server = await startScriptedServer();
    server.respond = () => ({ body: '{"items":[]}' });
    const users = (): (string | undefined)[] =>
      server.received
        .filter(({ url }) => url?.startsWith('/v1/problems'))
        .map(({ headers }) => headers.authorization);
    try {
      writeFileSync(join(folder, 'second.token'), 'second\n');
      writeProfiles(
        JSON.stringify({
          default: 'first',
          profiles: {
            first: { url: server.url, token: 'first' },
            second: { url: server.url, tokenFile: 'second.token' },
          },
        }),
      );
      const url = { BUSBRIDGE_URL: server.url, BUSBRIDGE_TOKEN: 'third' };
      await list({});
      await list(url);
      await list({ ...url, BUSBRIDGE_PROFILE: 'first' });
      await list({ ...url, BUSBRIDGE_PROFILE: 'first' }, '--profile', 'second');
      expect(users()).toEqual(['Bearer first', 'Bearer third', 'Bearer first', 'Bearer second']);
    } finally {
      await server.stop();
    }
  });

  it.each<[string, string | undefined, number, string, string]>([
    [
      'that other users may open',
      'profiles: { one: { url: "http://127.0.0.1:1" } }',
      0o640,
      'one',
      'run chmod 600',
    ],
    [
      'without the profile',
      'profiles: { one: { url: "http://127.0.0.1:1" } }',
      0o600,
      'two',
      'has no profile two. It has one.',
    ],
    ['with a wrong key', 'profiles: { one: { address: x } }', 0o600, 'one', 'profiles.yaml: profiles.one'],
    ['that does not exist', undefined, 0o600, 'one', 'does not exist'],
  ])('of a file %s end with status 78', async (_, text, mode, name, sentence) => {
    if (text !== undefined) writeProfiles(text);
    if (text !== undefined) chmodSync(file, mode);
    const { status, stderr } = await list({}, '--profile', name);
    expect([status, stderr]).toEqual([78, expect.stringContaining(sentence)]);
  });
});
