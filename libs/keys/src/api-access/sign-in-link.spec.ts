import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessGrant } from './access-schema.js';
import { createSignInLink, renewSignInLink, takeSignInLink } from './sign-in-link.js';

const GRANT: AccessGrant = { name: 'olivia', role: 'operator', participants: ['WPGENCO'] };
const NOW = new Date('2026-03-02T08:00:00Z');
const minutesLater = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000);

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'link-'));
  path = join(folder, 'link.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('grants what it was created for, to one of several users of the same link', async () => {
  const token = await createSignInLink(path, GRANT, NOW);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain(token);
  const grants = await Promise.all([1, 2, 3].map(() => takeSignInLink(path, token, minutesLater(9))));
  expect(grants.filter((grant) => grant !== undefined)).toEqual([GRANT]);
  expect(readdirSync(folder)).toEqual([]);
});

it('is not used up by a wrong token, nor after its end', async () => {
  const token = await createSignInLink(path, GRANT, NOW);
  expect(await takeSignInLink(path, `${token.slice(0, -1)}!`, NOW)).toBeUndefined();
  expect(await takeSignInLink(path, token, minutesLater(10))).toBeUndefined();
  expect(await takeSignInLink(path, token, NOW)).toEqual(GRANT);
});

it('is refused while other users of the machine may write it', async () => {
  const token = await createSignInLink(path, GRANT, NOW);
  chmodSync(path, 0o666);
  expect(await takeSignInLink(path, token, NOW)).toBeUndefined();
});

it('ends when another link replaces it', async () => {
  const first = await createSignInLink(path, GRANT, NOW);
  await createSignInLink(path, GRANT, NOW);
  expect(await takeSignInLink(path, first, NOW)).toBeUndefined();
});

it('begins again while it is unused, and never after its use', async () => {
  const token = await createSignInLink(path, GRANT, NOW);
  expect(await renewSignInLink(path, token, minutesLater(9))).toBe(true);
  expect(await takeSignInLink(path, token, minutesLater(18))).toEqual(GRANT);
  expect(await renewSignInLink(path, token, minutesLater(18))).toBe(false);
  expect(existsSync(path)).toBe(false);
});

it('stays when it has replaced the one that begins again', async () => {
  const first = await createSignInLink(path, GRANT, NOW);
  const next = await createSignInLink(path, GRANT, NOW);
  expect(await renewSignInLink(path, first, NOW)).toBe(false);
  expect(await takeSignInLink(path, next, NOW)).toEqual(GRANT);
  expect(readdirSync(folder)).toEqual([]);
});
