import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { didOfKey, parsePrivateKey } from '@ssb/identity';
import { parsePasswordHash, readEncryptedFile, verifySecret } from '@ssb/platform';
import { startTestRedis, type EndedProcess } from '@ssb/testing';
import { Redis } from 'ioredis';
import { parse, parseAllDocuments } from 'yaml';
import { PROGRAM, runCommand } from './support/run-command.js';

interface Secret {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data: Readonly<Record<string, string>>;
}

let parent: string;
let dir: string;
let first: EndedProcess;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'cli-secrets-'));
  dir = join(parent, 'keys');
  first = await run('secrets', '--dir', dir, ...ALL);
});
afterAll(() => rmSync(parent, { recursive: true }));

async function run(...args: string[]): Promise<EndedProcess> {
  const ended = await runCommand(['keys', ...args]);
  expect(ended.status).toBe(0);
  return ended;
}

const ALL = ['--name', 'bridge', '--namespace', 'energy', '--broker', '--sandbox', '--bundled'];

function parseSecrets(text: string): Map<string, (key: string) => Buffer> {
  const secrets = parseAllDocuments(text).map((document) => document.toJS() as Secret);
  for (const { kind, metadata } of secrets) expect([kind, metadata.namespace]).toEqual(['Secret', 'energy']);
  return new Map(
    secrets.map(({ metadata, data }) => [
      metadata.name.replace(/^bridge-/, ''),
      (key) => Buffer.from(data[key] ?? '', 'base64'),
    ]),
  );
}

it('busbridge keys secrets: the files of every part, the same each time, and never on a terminal', async () => {
  const before = readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mtimeMs]);
  const file = join(parent, 'secrets.yaml');
  const second = await run('secrets', '--dir', dir, ...ALL, '--out', file);
  expect(readFileSync(file, 'utf8')).toBe(first.stdout);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(second.stdout).toBe('');
  expect(readdirSync(dir).map((name) => [name, statSync(join(dir, name)).mtimeMs])).toEqual(before);

  const secrets = parseSecrets(first.stdout);
  const read = (name: string, key: string): Buffer => secrets.get(name)?.(key) ?? Buffer.alloc(0);
  const { users } = JSON.parse(read('gateway-publisher-keys', 'users.json').toString()) as {
    users: { name: string; rights: string[]; passwordHashes: string[] }[];
  };
  expect(users.map(({ name, rights }) => [name, rights])).toEqual([
    ['bridge', ['messages']],
    ['admin', ['config', 'messages']],
  ]);
  const adminHash = parsePasswordHash('admin', users[1]?.passwordHashes[0] ?? '');
  const adminPassword = read('provisioning-keys', 'gateway-publisher-admin.password').toString();
  expect(await verifySecret(adminPassword, adminHash)).toBe(true);

  const identity = parsePrivateKey(read('gateway-publisher-keys', 'identity.key').toString());
  const issuer = await readEncryptedFile(
    join(dir, 'issuer.key'),
    read('provisioning-keys', 'encryption.secret'),
  );
  const { values } = JSON.parse((await run('show', '--dir', dir, '--json')).stdout) as {
    values: Record<string, string>;
  };
  expect(values).toMatchObject({
    PUBLISHER_GATEWAY_DID: didOfKey(identity),
    ROLE_ISSUERS: didOfKey(parsePrivateKey(issuer.toString())),
    BRIDGE_ORIGIN_DID: expect.stringMatching(/^did:ethr:0x/),
  });
  for (const value of Object.values(values)) expect(second.stderr).toContain(value);

  const chartValues = join(parent, 'dids.yaml');
  await run('secrets', '--dir', dir, ...ALL, '--values', chartValues);
  expect(parse(readFileSync(chartValues, 'utf8'))).toEqual({
    config: {
      trusted: { gateways: [values['PUBLISHER_GATEWAY_DID']], origins: [values['BRIDGE_ORIGIN_DID']] },
    },
    broker: { issuers: [values['ROLE_ISSUERS']] },
  });

  const url = new URL(read('token-database', 'DATABASE_MIGRATION_URL').toString());
  expect([url.username, url.host, url.pathname]).toEqual([
    'token_migration',
    'bridge-postgresql:5432',
    '/bridge',
  ]);
  expect(url.password).toBe(read('postgresql', 'token-migration.password').toString());
  expect(read('nats', 'NATS_URL').toString()).toBe(
    `nats://${read('nats', 'token').toString()}@bridge-nats:4222`,
  );

  const token = new X509Certificate(read('sandbox-keys', 'token.crt'));
  for (const host of ['bridge-token', 'bridge-token.energy', 'bridge-token.energy.svc.cluster.local'])
    expect(token.checkHost(host)).toBe(host);
  expect(token.verify(new X509Certificate(read('sandbox-keys', 'ca.crt')).publicKey)).toBe(true);

  const terminal = await new Promise<string>((resolve) => {
    const command = `${process.execPath} ${PROGRAM} keys secrets --dir ${dir} --name bridge`;
    execFile('script', ['-qec', command, '/dev/null'], { cwd: parent }, (_error, stdout) => resolve(stdout));
  });
  expect(terminal.trim()).toBe(
    'Secrets are not printed on a terminal: give --out <file>, or pipe the output into kubectl.',
  );
});

it('busbridge keys compose: a folder for each service with its modes whatever the umask, without what a service no longer gets', async () => {
  const output = join(parent, 'compose');
  const command = `umask 077 && ${process.execPath} ${PROGRAM} keys compose --dir ${dir} --output ${output}`;
  await promisify(execFile)('sh', ['-c', command]);
  const mode = (path: string): number => statSync(join(output, path)).mode & 0o777;
  expect([mode('.'), mode('broker'), mode('broker/token.secret')]).toEqual([0o700, 0o755, 0o444]);
  const before = readdirSync(join(output, 'broker'));
  expect(before).toContain('app.env');
  writeFileSync(join(output, 'broker', 'former.secret'), '');
  await run('compose', '--dir', dir, '--output', output);
  expect(readdirSync(join(output, 'broker'))).toEqual(before);
});

it.each([
  [
    'an empty file, which a crash or a full disk has left',
    '',
    'is empty. Restore it, or remove it to create another one.',
  ],
  [
    'a line break in a password',
    'password\n',
    'has white space, such as a line break at its end. Remove it.',
  ],
])('busbridge keys secrets refuses %s', async (_, text, reason) => {
  const file = join(dir, 'gateway-publisher-admin.password');
  const content = readFileSync(file);
  writeFileSync(file, text);
  const { status, stdout, stderr } = await runCommand(['keys', 'secrets', '--dir', dir, ...ALL]);
  writeFileSync(file, content);
  expect([status, stdout, stderr]).toEqual([78, '', `${file} ${reason}\n`]);
});

it('its users of Redis may do what docs/operate/databases.md says', async () => {
  const secrets = parseSecrets(first.stdout);
  const read = (key: string): string => String(secrets.get('redis')?.(key));
  const server = await startTestRedis(read('users.acl').trim().split('\n').slice(1));
  const redis = new Redis({
    port: server.port,
    username: 'busbridge',
    password: read('busbridge.password'),
    lazyConnect: true,
  });
  try {
    await redis.connect();
    await expect(redis.set('{bridge}:settlement-events:x', '1')).resolves.toBe('OK');
    await expect(redis.set('broker:x', '1')).rejects.toThrow(/^NOPERM/);
  } finally {
    redis.disconnect();
    await server.stop();
  }
});
