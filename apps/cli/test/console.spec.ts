import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { takeSignInLink } from '@ssb/keys';
import { runCommand } from './support/run-command.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('prints the address of a new link, in the name of the user', async () => {
  const file = join(folder, 'link.json');
  const environment = { BUSBRIDGE_URL: 'http://127.0.0.1:4030', SIGN_IN_LINK_FILE: file };
  const { status, stdout } = await runCommand(['console'], environment);
  const [, token = ''] = /^http:\/\/127\.0\.0\.1:4030\/#sign-in=([\w-]{43})\n$/.exec(stdout) ?? [];
  expect([status, await takeSignInLink(file, token, new Date())]).toEqual([
    0,
    { name: userInfo().username, role: 'operator', participants: 'all' },
  ]);
});

it('says what to do when no npm start runs', async () => {
  const { status, stderr } = await runCommand(['console'], { BUSBRIDGE_URL: 'http://127.0.0.1:4030' });
  expect([status, stderr]).toEqual([78, expect.stringContaining('run npm start in this clone')]);
});
