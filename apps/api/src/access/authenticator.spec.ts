import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccessToken, type AccessToken } from '@ssb/keys';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import type { FastifyRequest } from 'fastify';
import { AccessFile } from './access-file.js';
import type { Settings } from '../settings.js';
import { Authenticator } from './authenticator.js';
import { OpenIdConnect } from './openid-connect/openid-connect.js';
import type { RightEnd } from './right-watches.js';
import type { Sessions } from './sessions/sessions.js';

const log = createLogger({ name: 'api', level: 'silent', format: 'json' });
const HOUR_MS = 3_600_000;
const NO_SESSIONS = { onEnd: () => undefined } as unknown as Sessions;

let folder: string;
let path: string;
let file: AccessFile;
let authenticator: Authenticator;
let refused: unknown;

const write = (tokens: readonly AccessToken[]): Promise<void> => writeFile(path, JSON.stringify({ tokens }));
const create = (lifetimeMs = HOUR_MS) =>
  createAccessToken(
    {
      name: 'grafana',
      role: 'operator',
      participants: ['WPGENCO', 'OTHER'],
      expiresAt: new Date(Date.now() + lifetimeMs),
    },
    new Date(),
  );
const callerOf = async (text: string) => {
  const request = { headers: { authorization: `Bearer ${text}` }, raw: {} } as unknown as FastifyRequest;
  const caller = await authenticator.authenticate(request);
  if (caller === undefined) throw new Error('the caller is unknown');
  return caller;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'access-'));
  path = join(folder, 'access.yaml');
  await write([]);
  file = await AccessFile.open(
    { API_ACCESS_FILE: path, CLIENT_CA_FILE: undefined, TLS_RELOAD_INTERVAL_MS: 10 },
    log,
  );
  refused = undefined;
  file.observe({ onRefused: (error) => (refused = error), onRecovered: () => (refused = undefined) });
  authenticator = new Authenticator(file, new OpenIdConnect(file, {}, log), NO_SESSIONS, {} as Settings);
  file.watch();
});
afterEach(async () => {
  await file.close();
  await rm(folder, { recursive: true });
});

/** Watches a caller with this token. */
async function watch({ text, entry }: ReturnType<typeof create>) {
  await write([entry]);
  await waitFor('the token', () => file.current().tokens.length === 1);
  const ends: RightEnd[] = [];
  const caller = await callerOf(text);
  const stop = authenticator.watch(caller, (reason) => ends.push(reason));
  return { ends, stop };
}

it.each<[string, (entry: AccessToken) => AccessToken[]]>([
  ['is revoked', () => []],
  ['has fewer participants', (entry) => [{ ...entry, participants: ['WPGENCO'] }]],
  ['has a lower role', (entry) => [{ ...entry, role: 'viewer' }]],
  ['ends earlier', (entry) => [{ ...entry, expiresAt: new Date(Date.now() + 1_000).toISOString() }]],
])('ends the right of a caller whose token %s', async (_what, change) => {
  const token = create();
  const { ends } = await watch(token);
  await write(change(token.entry));
  await waitFor('the end of the right', () => ends.length > 0);
  expect(ends).toEqual(['changed']);
});

it('ends the right of a caller when its token expires', async () => {
  const { ends } = await watch(create(5_000));
  await waitFor('the end of the right', () => ends.length > 0);
  expect(ends).toEqual(['expired']);
});

it('leaves the right of a caller when the tokens of others change, and after the end of the watch', async () => {
  const token = create();
  const { ends, stop } = await watch(token);
  await write([token.entry, create().entry]);
  await waitFor('the other token', () => file.current().tokens.length === 2);
  expect(ends).toEqual([]);
  stop();
  await write([]);
  await waitFor('the change', () => file.current().tokens.length === 0);
  expect(ends).toEqual([]);
});

it('keeps the previous tokens while the file has errors', async () => {
  const token = create();
  const { ends } = await watch(token);
  await writeFile(path, 'tokens: [{ id: abc, role: admin, colour: red }]');
  await waitFor('the refusal', () => String(refused).includes('tokens.0.id'));
  const message = String((refused as Error).message);
  expect(message).toContain(`${path}: tokens.0.id must have 12 hexadecimal digits.`);
  expect(message).toContain(`${path}: tokens.0.role must be viewer or operator.`);
  expect(message).toContain(`${path}: tokens.0 has unknown keys: colour.`);
  expect(ends).toEqual([]);
  await write([token.entry]);
  await waitFor('the recovery', () => refused === undefined);
});
