import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { createAccessToken } from '@ssb/keys';
import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { Agent, request } from 'undici';
import { app } from '../src/api.app.js';
import { definition } from '../src/settings.js';

/** Nothing listens there: a caller that is identified gets 503. */
const NO_DATABASE = 'postgres://api:api@127.0.0.1:1/postgres';
const BURST = 4;

let folder: string;
let authority: Authority;
let running: BuiltApp;
let urls: { api: string; management: string };
const agents: Agent[] = [];

const tokens = ['one', 'two'].map((name) =>
  createAccessToken(
    { name, role: 'viewer', participants: 'all', expiresAt: new Date(Date.now() + 3_600_000) },
    new Date(),
  ),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'access-'));
  authority = await createAuthority({ name: 'Clients', now: new Date() });
  const server = await authority.issue({ commonName: 'localhost', hosts: ['127.0.0.1'] });
  const grant = { name: 'dashboard', role: 'viewer', participants: 'all' };
  const files = {
    'server.pem': server.cert,
    'server.key': server.key,
    'ca.pem': authority.cert,
    'access.yaml': JSON.stringify({
      tokens: tokens.map(({ entry }) => entry),
      certificates: [
        { subjectAltName: 'DNS:Dashboard.example', ...grant },
        { subjectAltName: 'DNS:second.example', ...grant },
      ],
    }),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const settings = readSettings(definition, {
    PORT: '0',
    DATABASE_URL: NO_DATABASE,
    API_ACCESS_FILE: join(folder, 'access.yaml'),
    TLS_CERT_FILE: join(folder, 'server.pem'),
    TLS_KEY_FILE: join(folder, 'server.key'),
    CLIENT_CA_FILE: join(folder, 'ca.pem'),
    CALLER_REQUESTS_PER_SECOND: '1',
  });
  running = await buildApp(app, settings, createLogger({ name: 'api', level: 'silent', format: 'json' }));
  const { urls: listening, managementUrl } = await running.listen();
  urls = { api: listening[0] ?? '', management: managementUrl };
});
afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.close()));
  await running.close();
  await rm(folder, { recursive: true });
});

async function list(certificate?: Credential, token?: string, further: Record<string, string> = {}) {
  const dispatcher = new Agent({ connect: { ca: authority.cert, ...certificate } });
  agents.push(dispatcher);
  const headers = { ...further, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const {
    statusCode,
    headers: received,
    body,
  } = await request(`${urls.api}/v1/events`, { dispatcher, headers });
  return { status: statusCode, retryAfter: received['retry-after'], body: await body.text() };
}

const clientOf = (hosts: string[], by = authority): Promise<Credential> =>
  by.issue({ commonName: 'client', hosts, usage: 'client' });

it('identifies a caller by the subject alternative name of its certificate', async () => {
  const known = await list(await clientOf(['other.example', 'dashboard.example']));
  expect(known).toMatchObject({ status: 503, retryAfter: '5' });
  expect(known.body).toContain('The archive does not respond.');
  expect(known.body).not.toMatch(/127\.0\.0\.1|postgres|ECONN/);
});

it.each<[string, () => Promise<Credential | undefined>, string?]>([
  ['without a certificate', () => Promise.resolve(undefined)],
  ['with a certificate that no entry names', () => clientOf(['third.example'])],
  ['with a certificate that two entries name', () => clientOf(['dashboard.example', 'second.example'])],
  [
    'with a certificate of another authority',
    async () => clientOf(['dashboard.example'], await createAuthority({ name: 'Other', now: new Date() })),
  ],
  ['with a certificate and a wrong token', () => clientOf(['dashboard.example']), 'wrong'],
])('refuses a caller %s, in the same words', async (_what, certificate, token) => {
  const refused = await list(await certificate(), token);
  expect([refused.status, refused.body]).toEqual([401, (await list()).body]);
});

it('refuses a certificate with a wrong session, and in a request that a page of another site has caused', async () => {
  const certificate = await clientOf(['dashboard.example']);
  const statusWith = async (headers: Record<string, string>): Promise<number> =>
    (await list(certificate, undefined, headers)).status;
  expect(await statusWith({ cookie: '__Host-session=a' })).toBe(401);
  expect(await statusWith({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await statusWith({ 'sec-fetch-site': 'none' })).toBe(503);
});

it('limits the requests of one caller, and not those of others', async () => {
  const [one, two] = tokens.map(({ text }) => text);
  const responses = await Promise.all(Array.from({ length: 5 * BURST }, () => list(undefined, one)));
  const refused = responses.filter(({ status }) => status === 429);
  expect(refused.map(({ retryAfter }) => retryAfter)).toEqual(refused.map(() => '1'));
  const admitted = responses.filter(({ status }) => status === 503).length;
  // More are admitted only when the requests take longer than a second.
  expect([admitted >= BURST, admitted + refused.length]).toEqual([true, responses.length]);
  expect(refused).not.toEqual([]);
  expect((await list(undefined, two)).status).toBe(503);
});

it('is not ready without its database', async () => {
  const { statusCode, body } = await request(`${urls.management}/health/ready`);
  const text = await body.text();
  expect([statusCode, text]).toEqual([503, expect.stringContaining('The database cannot be used')]);
});

it('counts requests by their route', async () => {
  const { body } = await request(`${urls.management}/metrics`);
  expect(await body.text()).toMatch(
    /^settlement_bridge_api_requests_total\{route="\/v1\/events",method="GET",status="4xx"\} [1-9]/m,
  );
});
