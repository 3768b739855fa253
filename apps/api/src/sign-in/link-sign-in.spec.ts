import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignInLink, type AccessGrant } from '@ssb/keys';
import type { FastifyRequest } from 'fastify';
import type { Settings } from '../settings.js';
import { LinkSignIn } from './link-sign-in.js';

const GRANT: AccessGrant = { name: 'olivia', role: 'operator', participants: 'all' };
const from = (remoteAddress: string | undefined, hostname = '127.0.0.1') =>
  ({ headers: {}, hostname, raw: { socket: { remoteAddress } } }) as unknown as FastifyRequest;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'link-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('works from this machine only, and a refused attempt does not use the link up', async () => {
  const path = join(folder, 'link.json');
  const link = new LinkSignIn({ SIGN_IN_LINK_FILE: path } as Settings);
  const token = await createSignInLink(path, GRANT, new Date());
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '0.0.0.0', undefined])
    await expect(link.take(from(address), token)).rejects.toMatchObject({ status: 403 });
  for (const host of ['bridge.example', '127.0.0.1.bridge.example', ''])
    await expect(link.take(from('127.0.0.1', host), token)).rejects.toMatchObject({ status: 403 });
  expect(await link.take(from('::ffff:127.0.0.1', 'localhost'), token)).toEqual(GRANT);
  const next = await createSignInLink(path, GRANT, new Date());
  expect(await link.take(from('::1', '[::1]'), next)).toEqual(GRANT);
});

it('never waits because of wrong ones', async () => {
  const path = join(folder, 'link.json');
  const link = new LinkSignIn({ SIGN_IN_LINK_FILE: path } as Settings);
  const token = await createSignInLink(path, GRANT, new Date());
  const take = (text: string): Promise<unknown> =>
    link.take(from('127.0.0.1'), text).catch((error: unknown) => error);
  let last: unknown;
  for (let attempt = 0; attempt < 100 && last === undefined; attempt += 1) last = await take('wrong');
  expect(last).toMatchObject({ status: 429 });
  expect(await take(token)).toEqual(GRANT);
});
