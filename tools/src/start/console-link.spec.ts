import { takeSignInLink } from '@ssb/keys';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ConsoleLink } from './console-link.js';

const ADDRESS =
  /^Console: http:\/\/127\.0\.0\.1:4030\/#sign-in=([\w-]{43}) {2}\(opens once, within 10 minutes/;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-link-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('is the same from the beginning of the start until it was used', async () => {
  const link = await ConsoleLink.create(folder, { api: 4030 });
  const [, token = ''] = ADDRESS.exec(link.firstLine) ?? [];
  expect(ADDRESS.exec(await link.renew())?.[1]).toBe(token);
  const file = join(folder, 'secrets', 'sign-in-link.json');
  expect(await takeSignInLink(file, token, new Date())).toEqual({
    name: userInfo().username,
    role: 'operator',
    participants: 'all',
  });
  expect(await link.renew()).toBe(
    'Console: http://127.0.0.1:4030/  (npx busbridge console prints another link)',
  );
});
