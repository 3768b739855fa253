import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, describeStartFailure, generateSecret, readSettings } from '@ssb/platform';
import { connectRedis } from '@ssb/redis-queue';
import { runToEnd, startTestRedis, type TestRedis } from '@ssb/testing';
import { PollerModule } from '../src/poller.module.js';
import { definition } from '../src/settings.js';

/** The app as it is shipped. */
const bundle = new URL('../../../../bundles/poller.js', import.meta.url).pathname;

const CONFIG = `participants:
  - code: WPGENCO
    margin: { warning: '2.00', breach: '0.00', hysteresis: '0.50' }
routes:
  - { types: ['settlementbus.margin.*'], channel: '\${CHANNEL}' }
ignore: ['settlementbus.statement.*', 'settlementbus.invoice.*', 'settlementbus.bridge.*']
senders: []
alerts:
  sinks:
    - { name: treasury, kind: webhook, url: 'http://127.0.0.1:9/', secret: '\${WEBHOOK_SECRET}' }
  rules:
    - { types: ['settlementbus.margin.*'], sinks: [treasury], alert: true }
`;

let folder: string;
let redis: TestRedis;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'poller-start-'));
  writeFileSync(join(folder, 'integrity.keys'), generateSecret());
  redis = await startTestRedis();
});

afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The environment of a poller with one change. Writes the configuration file. */
function environment(change: Record<string, string>, config = CONFIG): Record<string, string> {
  const file = join(folder, 'bridge.yaml');
  writeFileSync(file, config);
  return {
    PORT: '0',
    REDIS_URL: redis.url,
    CONFIG_FILE: file,
    INTEGRITY_KEYS_FILE: join(folder, 'integrity.keys'),
    PARTICIPANT: 'WPGENCO',
    TOKEN_CLIENT_ID: 'account',
    TOKEN_CLIENT_SECRET: 'password',
    CHANNEL: 'a.channels.b.apps.c.iam.d',
    LOG_FORMAT: 'json',
    ...change,
  };
}

const start = (change: Record<string, string>) => runToEnd(bundle, [], environment(change));

it('thresholds that make no sense are refused before anything is connected', async () => {
  const wrong = CONFIG.replace("'0.00'", "'3.00'").replace("'${CHANNEL}'", 'a.channels.b.apps.c.iam.d');
  const settings = readSettings(definition, environment({}, wrong));
  const log = createLogger({ name: 'poller', level: 'silent', format: 'json' });
  const error = await PollerModule.register(settings, log).catch((cause: unknown) => cause);
  expect(describeStartFailure(error)).toMatchObject({
    exitStatus: 78,
    problems: [
      `${folder}/bridge.yaml:3: participants.0.margin.breach is 3.00, above warning 2.00; it must lie below warning.`,
    ],
  });
});

describe('the poller ends with exit status 78 and one sentence', () => {
  it('for a certificate that does not exist', async () => {
    const files = { CLIENT_CERT_FILE: '/nowhere/client.pem', CLIENT_KEY_FILE: '/nowhere/client.key' };
    const { status, stderr, stdout } = await start(files);
    expect(stderr).toMatch(
      /^poller cannot start: its configuration is wrong\.\n {2}CLIENT_(CERT|KEY)_FILE: \/nowhere\/client\.(pem|key) does not exist\.$/m,
    );
    expect(status).toBe(78);
    expect(stdout + stderr).not.toContain('    at ');
  });

  it('for a port that is in use, after a log line for each warning of the configuration', async () => {
    const { status, stderr, stdout } = await start({ PORT: String(redis.port) });
    expect(stderr).toBe(
      `poller cannot start: its configuration is wrong.\n  The port ${redis.port} of 127.0.0.1 is in use; stop the other process, or set PORT to another port.\n`,
    );
    expect(status).toBe(78);
    const client = connectRedis(redis.url, { name: 'test' });
    expect(await client.keys('*lease*')).toEqual([]);
    client.disconnect();
    expect(stdout).toMatch(/senders has no entry for a\.channels\.b.*"msg":"configuration warning"/);
    expect(stdout).not.toContain('    at ');
  });

  it('for a Redis that may lose data in production', async () => {
    const client = connectRedis(redis.url, { name: 'test' });
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const { status, stderr } = await start({ NODE_ENV: 'production' });
    await client.config('SET', 'maxmemory-policy', 'noeviction');
    client.disconnect();
    expect(stderr).toMatch(/^ {2}This Redis could lose data .*; set it to noeviction\.$/m);
    expect(status).toBe(78);
  });
});
